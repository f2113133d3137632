import type { Random } from "@disburse/harness/random.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import type { FaultBackends } from "./backends/backends.ts";
import type { Load } from "./payouts/load.ts";
import type { Recipient } from "./payouts/recipients.ts";
import { type Recovered, spreadOf } from "./payouts/recovery.ts";
import type { FaultPlatform } from "./platform.ts";

type FaultOptions = {
  readonly kills: number;
  /** Number of seeds for the random faults. The first one follows. */
  readonly seeds: number;
  readonly seed: number;
  /** Number of quotes, each executed by sixteen callers. */
  readonly races: number;
  readonly perPoint: number;
};

export type FaultContext = {
  readonly platform: FaultPlatform;
  readonly backends: FaultBackends;
  readonly busNamespace: string;
  /** A small disk for the database. `undefined` if it uses the machine's disk. */
  readonly disk: string | undefined;
  readonly recipients: readonly Recipient[];
  readonly load: Load;
  readonly random: Random;
  readonly options: FaultOptions;
  readonly fired: (name: string, times?: number) => void;
  readonly recovered: (name: string, took: Recovered) => void;
};

/**
 * A kind of fault. Afterwards all processes must run again. The fault doesn't throw errors that it
 * caused itself.
 */
export type Fault = {
  readonly name: string;
  readonly about: string;
  /** Time for the platform to become idle afterwards. Defaults to two minutes. */
  readonly restMs?: number;
  /** Returns the reason if the fault can't run on this machine. */
  readonly unavailable?: (context: FaultContext) => string | undefined;
  /** Injects the fault under load. May return further verdicts. */
  readonly run: (context: FaultContext) => Promise<readonly Verdict[]>;
};

/** Wraps a fault that occurs once per seed under load. */
export function underLoad(strike: (context: FaultContext) => Promise<void>): Fault["run"] {
  return async (context) => {
    context.load.start();
    for (let at = 0; at < context.options.seeds; at += 1) await strike(context);
    await context.load.drain();
    return [];
  };
}

export function createCounters() {
  const fired = new Map<string, number>();
  const times = new Map<string, Recovered[]>();
  return {
    fired: (name: string, count = 1) => void fired.set(name, (fired.get(name) ?? 0) + count),
    recovered: (name: string, took: Recovered) => void times.getOrInsert(name, []).push(took),
    counts: (): string[] => [...fired].map(([name, count]) => `${name} ${count}`),
    total: (): number => [...fired.values()].reduce((sum, count) => sum + count, 0),
    timeLines: (): string[] => [...times].map(([name, all]) => timeLine(name, all)),
  };
}

function timeLine(name: string, all: readonly Recovered[]): string {
  const parts = (["calls", "payouts", "webhooks"] as const).map((what) => {
    const { max, median } = spreadOf(all.map((took) => took[what]));
    return `${what} ${median} ms (max ${max})`;
  });
  return `${name}: median ${parts.join(", ")} after ${all.length} restarts`;
}
