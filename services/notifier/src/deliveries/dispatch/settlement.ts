import type { Log } from "@disburse/chassis/log.ts";
import { reportRejection } from "@disburse/chassis/rejections.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { OrderStore } from "../order/store.ts";
import { blocksNext } from "../rules/order.ts";
import { createPacedBatches } from "./paced-batches.ts";
import type { Settlement, WorkStore } from "./work-store.ts";

type ReleaserDeps = {
  readonly order: Pick<OrderStore, "release">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with endpoints that have due deliveries. */
  readonly due: (endpointIds: Iterable<string>) => void;
};

/**
 * Releases held deliveries when another delivery under their ordering key is settled or inserted.
 */
export type Releaser = ReturnType<typeof createReleaser>;

/** Creates a releaser. It processes ordering keys in batches. */
export function createReleaser({ order, clock, log, due }: ReleaserDeps) {
  const batches = createPacedBatches<string>(
    async (keys) => {
      due(await order.release([...new Set(keys)], clock.now()));
      return true;
    },
    (error, count) =>
      log.error(
        { err: error, count },
        "could not release held deliveries; a later check releases them",
      ),
  );
  return {
    /**
     * Schedules a release of the deliveries under these ordering keys that need not wait any
     * longer.
     */
    release: (keys: Iterable<string>): void => {
      for (const key of new Set(keys)) batches.add(key).catch(reportRejection);
    },
    idle: batches.idle,
  };
}

type SettlerDeps = {
  readonly work: Pick<WorkStore, "settle">;
  readonly releaser: Pick<Releaser, "release">;
  readonly log: Log;
};

/**
 * Settles an attempt. Resolves with `true` if the outcome was certainly written. Otherwise resolves
 * with `false`, and the delivery's lease expires.
 */
export type Settle = (settlement: Settlement) => Promise<boolean>;

/** Writes outcomes in batches. Then releases the deliveries that waited for the settled ones. */
export function createSettler({ work, releaser, log }: SettlerDeps): Settle {
  const batches = createPacedBatches<Settlement>(
    async (settlements) => {
      const stale = settlements.length - (await work.settle(settlements));
      if (stale > 0)
        log.warn({ count: stale }, "dropped the outcomes of attempts whose leases had expired");
      releaser.release(settlements.filter(unblocks).map(({ line }) => line));
      return stale === 0;
    },
    (error, count) =>
      log.error(
        { err: error, count },
        "could not store the outcomes of attempts; their deliveries will be claimed again",
      ),
  );
  return batches.add;
}

/** Returns true if later deliveries under the ordering key no longer wait for this one. */
function unblocks({ transition, attempt }: Settlement): boolean {
  return !blocksNext({ state: transition.state, attempts: attempt?.number ?? 0 });
}
