import type { Log } from "@disburse/chassis/log.ts";
import type { Releaser } from "../order/releaser.ts";
import { holdsUp } from "../rules/order.ts";
import { createGatherer } from "./gatherer.ts";
import { retried } from "./retried.ts";
import type { Settlement, WorkStore } from "./work-store.ts";

/** One bulk write settles this many (webhooks: claiming and settling). */
const groupMax = 64;

export type SettlerDeps = {
  readonly work: WorkStore;
  readonly releaser: Pick<Releaser, "release">;
  readonly log: Log;
};

export type Settler = {
  /** Resolves when the settlement is written, or given up for its lease to end. */
  settle(settlement: Settlement): Promise<void>;
};

type Waiting = { readonly settlement: Settlement; readonly done: () => void };

/** Writes what becomes of deliveries, and lets go what has waited for them. */
export function createSettler({ work, releaser, log }: SettlerDeps): Settler {
  const write = async (settlements: readonly Settlement[]): Promise<void> => {
    const written = await work.settle(settlements);
    const stale = settlements.length - written;
    if (stale > 0) log.warn({ count: stale }, "settlements without a lease were dropped");
    releaser.release(settlements.filter(frees).map(({ line }) => line));
  };
  const gatherer = createGatherer<Waiting>(groupMax, async (group) => {
    const settlements = group.map(({ settlement }) => settlement);
    await retried(
      () => write(settlements),
      (error) => log.error({ err: error, count: group.length }, "settlements not written"),
    );
    for (const { done } of group) done();
  });
  return {
    settle: (settlement) =>
      new Promise((resolve) => {
        gatherer.add({ settlement, done: resolve });
      }),
  };
}

/** Whether the ones behind a settled delivery need wait for it no longer. */
function frees({ fate, attempt }: Settlement): boolean {
  return !holdsUp({ state: fate.state, attempts: attempt?.number ?? 0 });
}
