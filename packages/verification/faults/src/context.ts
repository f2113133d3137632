import type { Random } from "@disburse/harness/random.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import type { FaultBackends } from "./backends/backends.ts";
import type { Load } from "./payouts/load.ts";
import type { Recipient } from "./payouts/recipients.ts";
import { type Recovered, spreadOf } from "./payouts/recovery.ts";
import type { FaultPlatform } from "./platform.ts";

/** The options of `npm run test:faults`. */
type FaultOptions = {
  /** Random kills of services. */
  readonly kills: number;
  /** Seeds that the random faults are tried with, and the first one. */
  readonly seeds: number;
  readonly seed: number;
  /** Quotes that are executed by sixteen callers each. */
  readonly races: number;
  /** Tries of each gap between two writes. */
  readonly perPoint: number;
};

/** What a fault is tried on. */
export type FaultContext = {
  readonly platform: FaultPlatform;
  readonly backends: FaultBackends;
  /** Before the names of exchange and queues. */
  readonly busNamespace: string;
  /** The small disk that the database is on; `undefined` where it is on the machine's. */
  readonly disk: string | undefined;
  readonly recipients: readonly Recipient[];
  readonly load: Load;
  readonly random: Random;
  readonly options: FaultOptions;
  /** Counts that a fault really fired, by its name. */
  readonly fired: (name: string, times?: number) => void;
  /** Notes how long what was under way took after a restart. */
  readonly recovered: (name: string, took: Recovered) => void;
};

/** A kind of fault; it leaves everything up, and throws nothing that it has caused itself. */
export type Fault = {
  readonly name: string;
  /** What it does, in a line. */
  readonly about: string;
  /** How long everything may take to come to rest afterwards; two minutes by default. */
  readonly restMs?: number;
  /** Why it cannot be tried here; `undefined` where it can. */
  readonly unavailable?: (context: FaultContext) => string | undefined;
  /** Tries it under load; may answer with what else had to hold. */
  readonly run: (context: FaultContext) => Promise<readonly Verdict[]>;
};

/** A fault that strikes once a seed while payouts are made. */
export function underLoad(strike: (context: FaultContext) => Promise<void>): Fault["run"] {
  return async (context) => {
    context.load.start();
    for (let at = 0; at < context.options.seeds; at += 1) await strike(context);
    await context.load.drain();
    return [];
  };
}

/** Counts of what fired and times of what recovered, as a run goes on. */
export function createCounters() {
  const fired = new Map<string, number>();
  const times = new Map<string, Recovered[]>();
  return {
    fired: (name: string, count = 1) => void fired.set(name, (fired.get(name) ?? 0) + count),
    recovered: (name: string, took: Recovered) => void times.getOrInsert(name, []).push(took),
    /** `name count` of each. */
    counts: (): string[] => [...fired].map(([name, count]) => `${name} ${count}`),
    total: (): number => [...fired.values()].reduce((sum, count) => sum + count, 0),
    /** Lines with the times that recovery took. */
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
