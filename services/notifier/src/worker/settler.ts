import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { holdsUp } from "../domain/order.ts";
import type { LineStore } from "../store/line-store.ts";
import type { Settlement, WorkStore } from "../store/work-store.ts";

/** One bulk write settles this many (webhooks: claiming and settling). */
const groupMax = 64;
/** While the store is away a result is kept for as long as its lease may last. */
const triesMax = 20;
const retryMs = 1_000;

export type SettlerDeps = {
  readonly work: WorkStore;
  readonly lines: LineStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Something of these endpoints is due now. */
  readonly due: (endpointIds: Iterable<string>) => void;
};

export type Settler = {
  /** Resolves when the settlement is written, or given up for its lease to end. */
  settle(settlement: Settlement): Promise<void>;
};

/** Gathers what is settled while a write is under way into the next one. */
export function createSettler({ work, lines, clock, log, due }: SettlerDeps): Settler {
  let waiting: { settlement: Settlement; done: () => void }[] = [];
  let running = false;

  const write = async (settlements: readonly Settlement[]): Promise<void> => {
    const written = await work.settle(settlements);
    const stale = settlements.length - written;
    if (stale > 0) log.warn({ count: stale }, "settlements without a lease were dropped");
    const freed = settlements.filter(frees).map(({ line }) => line);
    due(await lines.release([...new Set(freed)], clock.now()));
  };

  const writeUntilDone = async (settlements: readonly Settlement[]): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await write(settlements);
      } catch (error) {
        log.error({ err: error, count: settlements.length }, "settlements not written");
        if (tries === triesMax) return;
        await pause(retryMs);
      }
    }
  };

  const drain = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupMax);
      waiting = waiting.slice(groupMax);
      await writeUntilDone(group.map(({ settlement }) => settlement));
      for (const { done } of group) done();
    }
    running = false;
  };

  return {
    settle: (settlement) =>
      new Promise((resolve) => {
        waiting.push({ settlement, done: resolve });
        if (!running) void drain();
      }),
  };
}

/** Whether the ones behind a settled delivery need wait for it no longer. */
function frees({ fate, attempt }: Settlement): boolean {
  return !holdsUp({ state: fate.state, attempts: attempt?.number ?? 0 });
}
