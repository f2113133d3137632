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
 * 256 sockets saturate one core. A merchant or the open circuits get at most a quarter, a backlog
 * half (webhooks: fairness).
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
  /** Notified when a delivery is due and may find a slot. */
  readonly slotFree: Wake;
};

/** Maximum endpoints that the metric of due deliveries covers. */
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
      // Saves health for the next owner of these shards. After an eviction the new owner has newer
      // data.
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
    /** Releases held deliveries that a crashed process left in newly owned shards. */
    releaseLeft: async (now: Date): Promise<void> => {
      if (isNewOwner) await order.releaseLeft(now);
      isNewOwner = false;
    },
  };
}

/** Attempts take up to 15 s. An attempt cut off here is repeated after its lease expires. */
export const drainMs = 20_000;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Admits fresh deliveries on insertion and claims all others when they are due. Covers only this
 * process's endpoints.
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, work, order, metrics, log } = deps;
  let dueIds: readonly string[] = [];
  const parts = assemble(deps);
  const { limiter, ownership, saveHealth, due, releaser, runner, claimer } = parts;
  const idle = () => runner.idle().then(releaser.idle);

  return {
    admission: parts.admission,
    /** Updates this process's shards, and finds their endpoints with due deliveries. */
    poll: async (): Promise<void> => {
      await ownership.round();
      const now = clock.now();
      await parts.releaseLeft(now);
      const found = await work.dueEndpoints(now);
      const own = found.filter(({ endpointId }) => ownership.owns(endpointId));
      for (const { endpointId } of own) limiter.due(endpointId);
      // A suspended endpoint waits for its merchant, so its deliveries don't count as due.
      const served = own.filter(({ endpointId }) => limiter.of(endpointId).liveness === "live");
      dueIds = served.map(({ endpointId }) => endpointId);
      metrics.due(served, now);
    },
    release: releaser.release,
    round: claimer.round,
    pace: parts.pace,
    /**
     * Resolves when no attempt is in flight and all deliveries that waited for one are released.
     */
    idle,
    resumeSuspended: limiter.resumeSuspended,
    /** Returns this process's endpoints that acknowledged nothing for days. */
    unresponsive: () =>
      limiter.unresponsive(clock.now()).filter(({ endpointId }) => ownership.owns(endpointId)),
    restartStreak: limiter.restartStreak,
    /** Returns true if other processes also store events, which only polling finds. */
    isShared: ownership.isShared,
    /** Rechecks some deliveries that wait without bound. Returns true if more are due. */
    recheck: async (): Promise<boolean> => {
      const { freed, givenUp, hasMore } = await order.recheck(clock.now());
      const message = "strict order: sent without an earlier event, which never arrived";
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
    /** Starts no more attempts. Leaves when none is in flight, or after `drainMs`. */
    leave: (): Promise<void> => {
      const saved = () => idle().then(() => saveHealth());
      return ownership.leave(withTimeout(drainMs, saved, () => undefined));
    },
  };
}

/** Bounds how late a retry starts. This process's own inserts need no poll. */
const pollEveryMs = 200;
/** Shorter, because only polling finds what other processes store. */
const pollEverySharedMs = 100;
/** One claim fills the slots that become free within this time. */
const gatherMs = 25;
type DispatchWakes = {
  readonly slotFree: Wake;
  /** A delivery may be due that only polling finds. `slotFree` is notified too. */
  readonly unseen: Wake;
};

/** Polls for due deliveries, and claims whenever a slot may be free. */
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
