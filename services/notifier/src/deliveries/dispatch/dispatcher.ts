import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { HealthStore } from "../../endpoints/health-store.ts";
import type { EndpointStore } from "../../endpoints/store.ts";
import { createOwnership } from "../cluster/ownership.ts";
import type { ShardStore } from "../cluster/shard-store.ts";
import type { FailingStore } from "../failing-store.ts";
import type { OrderStore } from "../order/store.ts";
import { guaranteedShare, type Slots } from "../rules/fairness.ts";
import { createAdmission } from "./admission.ts";
import type { AttemptDeps } from "./attempt.ts";
import { createBacklogPace } from "./backlog-pace.ts";
import { createClaimer } from "./claimer.ts";
import { createFreshQueue } from "./fresh-queue.ts";
import { createLimiter } from "./limiter.ts";
import type { DispatchStats, WorkMetrics } from "./metrics.ts";
import { createRunner } from "./runner.ts";
import { createReleaser, createSettler } from "./settlement.ts";
import type { WorkStore } from "./work-store.ts";

/**
 * One core is busy with 256 sockets. A merchant gets at most a quarter of them. All endpoints with
 * an open circuit together also get a quarter. A backlog gets half (webhooks: fairness).
 */
export const slotsDefault: Slots = {
  processMax: 256,
  merchantMax: 64,
  openMax: 64,
  claimedMax: 128,
  pageMax: 2,
};

type DispatcherDeps = AttemptDeps & {
  readonly work: WorkStore;
  readonly failing: FailingStore;
  readonly order: OrderStore;
  readonly endpoints: Pick<EndpointStore, "readActive">;
  readonly shards: ShardStore;
  readonly healths: HealthStore;
  readonly metrics: WorkMetrics;
  readonly slots: Slots;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  readonly place: string;
  /** Notified when a delivery is due or a slot may be free. */
  readonly slotFree: Wake;
};

/** Maximum endpoints that the metric of due deliveries counts. */
const countedMax = 1_000;

function assemble(deps: DispatcherDeps) {
  const wake = deps.slotFree.notify;
  const { clock, elapsed, work, order, shards, healths, place, log } = deps;
  let isNewOwner = false;
  let knownAs = "";
  const limiter = createLimiter(deps.slots, elapsed);

  const saveHealth = async (isIncluded?: (endpointId: string) => boolean): Promise<void> => {
    const unsaved = limiter.unsavedHealth(isIncluded);
    try {
      await healths.write(unsaved);
    } catch (error) {
      limiter.markUnsaved(unsaved);
      throw error;
    }
  };
  const ownership = createOwnership({
    store: shards,
    place,
    elapsed,
    isBusy: limiter.isBusy,
    log,
    onJoin: () => work.freeLeases(place, clock.now()),
    onTake: async (taken) => {
      const isForeign = (endpointId: string): boolean => !ownership.owns(endpointId);
      // Saves the health for the next owner of these shards. If this process was evicted, nothing
      // is saved, because the new owner has more recent data.
      if (ownership.token() === knownAs) await saveHealth(isForeign);
      limiter.forget(isForeign);
      knownAs = ownership.token();
      limiter.restore(await healths.troubled(taken, clock.now()));
      isNewOwner ||= taken.length > 0;
    },
  });
  const due = (endpointIds: Iterable<string>): void => {
    const own = [...endpointIds].filter(ownership.owns);
    for (const endpointId of own) limiter.due(endpointId);
    if (own.length > 0) wake();
  };
  const releaser = createReleaser({ ...deps, due });
  const settle = createSettler({ ...deps, releaser });
  const { claimedMax } = deps.slots;
  const share = { least: guaranteedShare(claimedMax), most: claimedMax };
  const pace = createBacklogPace(share, elapsed);
  const { freshStarted } = pace;
  const runner = createRunner({ ...deps, limiter, ownership, settle, freshStarted, freed: wake });
  const freshQueue = createFreshQueue();
  const claimer = createClaimer({
    ...deps,
    limiter,
    ownership,
    runner,
    freshQueue,
    release: releaser.release,
  });
  return {
    limiter,
    ownership,
    saveHealth,
    due,
    releaser,
    runner,
    claimer,
    pace,
    admission: createAdmission({ ...deps, limiter, ownership, runner, freshQueue, wake }),
    /** Releases held deliveries in newly owned shards. A crashed process may have left them. */
    releaseLeft: async (now: Date): Promise<void> => {
      if (isNewOwner) await order.releaseLeft(now);
      isNewOwner = false;
    },
  };
}

/**
 * Maximum time to wait for attempts at shutdown. An attempt takes up to 15 s. If one is cut off, it
 * is repeated after its lease expires.
 */
export const drainMs = 20_000;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Starts fresh deliveries when they are inserted, and claims all others when they are due. Delivers
 * only to the endpoints of this process.
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, work, order, metrics, log } = deps;
  let dueIds: readonly string[] = [];
  const parts = assemble(deps);
  const { limiter, ownership, saveHealth, due, releaser, runner, claimer } = parts;
  const idle = () => runner.idle().then(releaser.idle);

  return {
    admission: parts.admission,
    /** Updates this process's shards. Then finds their endpoints with due deliveries. */
    poll: async (): Promise<void> => {
      await ownership.round();
      const now = clock.now();
      await parts.releaseLeft(now);
      const found = await work.dueEndpoints(now);
      const own = found.filter(({ endpointId }) => ownership.owns(endpointId));
      for (const { endpointId } of own) limiter.due(endpointId);
      // The deliveries of a suspended endpoint don't count as due, because they wait for the
      // merchant.
      const served = own.filter(({ endpointId }) => limiter.of(endpointId).liveness === "live");
      dueIds = served.map(({ endpointId }) => endpointId);
      metrics.due(served, now);
    },
    release: releaser.release,
    round: claimer.round,
    pace: parts.pace,
    /** Resolves when no attempt is in flight and no delivery waits for one that has ended. */
    idle,
    resumeSuspended: limiter.resumeSuspended,
    /** Returns this process's endpoints that have acknowledged nothing for days. */
    unresponsive: () =>
      limiter.unresponsive(clock.now()).filter(({ endpointId }) => ownership.owns(endpointId)),
    restartStreak: limiter.restartStreak,
    /**
     * Returns true if other processes also store events. Only polling finds the deliveries of such
     * events.
     */
    isShared: ownership.isShared,
    /**
     * Rechecks some of the deliveries whose wait has no time limit. Returns true if more are due
     * for a recheck.
     */
    recheck: async (): Promise<boolean> => {
      const { freed, givenUp, hasMore } = await order.recheck(clock.now());
      const message =
        "strict ordering: delivery no longer waits for an earlier event that never arrived";
      if (givenUp.length > 0) log.warn({ delivery_ids: givenUp }, message);
      due(freed);
      return hasMore;
    },
    saveHealth: () => saveHealth(ownership.owns),
    figures: async (): Promise<DispatchStats> => ({
      due: await work.dueCount(dueIds.slice(0, countedMax), clock.now()),
      running: limiter.inFlight.running,
      shards: ownership.shardsOwned(),
      circuits: limiter.circuits(),
    }),
    /**
     * Stops starting attempts. Leaves the cluster when no attempt is in flight, or after `drainMs`.
     */
    leave: (): Promise<void> => {
      const saved = () => idle().then(() => saveHealth());
      return ownership.leave(withTimeout(drainMs, saved, () => undefined));
    },
  };
}

/**
 * Polling interval. It limits the delay of a retry. Deliveries that this process inserts don't
 * depend on polling.
 */
const pollEveryMs = 200;
/**
 * Polling interval while other processes store events. It is shorter, because only polling finds
 * their deliveries.
 */
const pollEverySharedMs = 100;
/**
 * After a slot becomes free, the claimer waits this long, so that one claim fills several slots.
 */
const gatherMs = 25;
type DispatchWakes = {
  readonly slotFree: Wake;
  /**
   * Notified when a delivery may be due that only polling finds. `slotFree` is then notified too.
   */
  readonly unseen: Wake;
};

/** Polls for due deliveries. Claims deliveries whenever a slot may be free. */
export function startDispatch(
  dispatcher: Dispatcher,
  { slotFree, unseen }: DispatchWakes,
  log: Log,
): Loop {
  let polledAt = Number.NEGATIVE_INFINITY;
  let claimedAt = Number.NEGATIVE_INFINITY;
  return startLoop({
    name: "webhook-dispatch",
    everyMs: pollEverySharedMs,
    wake: slotFree,
    run: async () => {
      const sinceClaimMs = performance.now() - claimedAt;
      if (sinceClaimMs < gatherMs) await pause(gatherMs - sinceClaimMs);
      const pollMs = dispatcher.isShared() ? pollEverySharedMs : pollEveryMs;
      if (unseen.take() || performance.now() - polledAt >= pollMs) {
        polledAt = performance.now();
        await dispatcher.poll();
      }
      claimedAt = performance.now();
      return (await dispatcher.round(dispatcher.pace)) > 0;
    },
    log,
  });
}
