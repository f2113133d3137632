import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { OrderStore } from "../order/store.ts";
import { blocksNext } from "../rules/order.ts";
import type { Settlement, WorkStore } from "./work-store.ts";

/** One bulk write settles this many (webhooks: claiming and settling). */
const settledMax = 64;
/** One read covers this many ordering keys. */
const keysMax = 256;

type ReleaserDeps = {
  readonly order: Pick<OrderStore, "release">;
  readonly clock: Clock;
  readonly log: Log;
  /** These endpoints have deliveries due now. */
  readonly due: (endpointIds: Iterable<string>) => void;
};

/** Releases held deliveries after settlements and inserts under their ordering keys. */
export type Releaser = ReturnType<typeof createReleaser>;

/** Releases by batches of ordering keys. */
export function createReleaser({ order, clock, log, due }: ReleaserDeps) {
  const batcher = createBatcher<string>(
    keysMax,
    async (keys) => due(await order.release([...new Set(keys)], clock.now())),
    (error, count) => log.error({ err: error, count }, "held deliveries not looked at"),
  );
  return {
    /** Soon releases deliveries of these ordering keys that need not wait. */
    release: (keys: Iterable<string>): void => {
      for (const key of new Set(keys)) batcher.add(key);
    },
    idle: batcher.idle,
  };
}

type SettlerDeps = {
  readonly work: Pick<WorkStore, "settle">;
  readonly releaser: Pick<Releaser, "release">;
  readonly log: Log;
};

/** Settles attempts: resolves when a settlement is written, or given up for its lease to expire. */
export type Settle = (settlement: Settlement) => Promise<void>;

/** Writes settlements in batches, and releases what has waited for them. */
export function createSettler({ work, releaser, log }: SettlerDeps): Settle {
  const batcher = createBatcher<{ readonly settlement: Settlement; readonly done: () => void }>(
    settledMax,
    async (batch) => {
      const settlements = batch.map(({ settlement }) => settlement);
      const stale = settlements.length - (await work.settle(settlements));
      if (stale > 0) log.warn({ count: stale }, "settlements without a lease were dropped");
      releaser.release(settlements.filter(unblocks).map(({ line }) => line));
    },
    (error, count) => log.error({ err: error, count }, "settlements not written"),
    (batch) => {
      for (const { done } of batch) done();
    },
  );
  return (settlement) => new Promise((done) => batcher.add({ settlement, done }));
}

/** Whether the next deliveries of the ordering key need not wait for this one any longer. */
function unblocks({ transition, attempt }: Settlement): boolean {
  return !blocksNext({ state: transition.state, attempts: attempt?.number ?? 0 });
}

/** Between two writes, unless a whole batch waits: a command for each webhook costs most. */
const batchEveryMs = 40;
/** A result outlives an outage of the store for as long as its lease may last. */
const triesMax = 20;
const retryMs = 1_000;

/** Writes items in batches, one at a time; one that fails is tried each second, 20 times. */
export function createBatcher<T>(
  batchMax: number,
  write: (batch: readonly T[]) => Promise<void>,
  /** Each try that fails. */
  onFailure: (error: unknown, count: number) => void = () => undefined,
  /** A batch that is written, or given up. */
  onEnd: (batch: readonly T[]) => void = () => undefined,
) {
  let waiting: T[] = [];
  let beganAt = Number.NEGATIVE_INFINITY;
  let draining: Promise<void> | undefined;

  const writeWithRetries = async (batch: readonly T[]): Promise<void> => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      if (tries > 1) await pause(retryMs);
      try {
        return await write(batch);
      } catch (error) {
        onFailure(error, batch.length);
      }
    }
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const leftMs = beganAt + batchEveryMs - performance.now();
      if (leftMs > 0 && waiting.length < batchMax) await pause(leftMs);
      beganAt = performance.now();
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await writeWithRetries(batch);
      onEnd(batch);
    }
    draining = undefined;
  };
  return {
    add: (item: T): void => {
      waiting.push(item);
      draining ??= drain();
    },
    /** Resolves when all that was added is written, or given up. */
    idle: async (): Promise<void> => {
      while (draining !== undefined) await draining;
    },
  };
}
