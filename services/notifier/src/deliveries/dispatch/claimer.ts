import { setImmediate } from "node:timers/promises";
import { isLive, type Recipient } from "../../endpoints/rules/endpoint.ts";
import type { EndpointStore } from "../../endpoints/store.ts";
import type { DeliveryDocument } from "../documents.ts";
import type { FailingStore } from "../failing-store.ts";
import { inTurns } from "../rules/fairness.ts";
import { blocksNext, orderWaitMs, waitsAnew } from "../rules/order.ts";
import type { StartDeps } from "./admission.ts";
import type { Pace } from "./backlog-pace.ts";
import type { Runner } from "./runner.ts";
import type { WorkStore } from "./work-store.ts";

/** Pace for callers that pass none. */
const unhurried: Pace = { allowed: () => 32, claimed: () => undefined };

/**
 * Number of deliveries to start at once. Signing and sending each block the thread for a third of a
 * millisecond.
 */
const startedTogether = 6;

export type ClaimerDeps = StartDeps & {
  readonly work: WorkStore;
  readonly failing: FailingStore;
  readonly endpoints: Pick<EndpointStore, "readActive">;
  /** Schedules a check of the held deliveries under these ordering keys. */
  readonly release: (lines: Iterable<string>) => void;
};

type Endpoints = ReadonlyMap<string, Recipient>;

/**
 * Claims due deliveries. These are retries, released deliveries, and fresh deliveries that got no
 * slot.
 */
export function createClaimer(deps: ClaimerDeps) {
  const { clock, work, endpoints, limiter, ownership, runner, place } = deps;

  /** Finds out which endpoints are live. Only live ones get slots. */
  const probe = async (ids: readonly string[]): Promise<Endpoints> => {
    if (ids.length === 0) return new Map();
    const active = await endpoints.readActive(ids);
    // A deleted endpoint counts as live, so that its deliveries are claimed and cancelled.
    for (const id of ids) limiter.probed(id, isSuspended(active.get(id)) ? "suspended" : "live");
    return active;
  };

  const lease = async (
    entered: DeliveryDocument[],
    shares: ReadonlyMap<string, number>,
    active: Endpoints,
  ): Promise<readonly DeliveryDocument[]> => {
    const now = clock.now();
    await enterShares(deps, entered, shares, active, now);
    const due = entered.filter(({ endpoint_id }) => !isSuspended(active.get(endpoint_id)));
    const live = await holdBehind(deps, due, active, now);
    const mine = { token: ownership.token(), place };
    const pausedMs = (endpointId: string) => active.get(endpointId)?.pausedMs ?? 0;
    try {
      return await work.take(live, mine, now, pausedMs);
    } catch (error) {
      // The leases may be written even if the response was lost. Without this read, such deliveries
      // would wait until their leases expire.
      const leased = await work.leased(ids(live), mine);
      const taken = leased.filter(({ due_at }) => due_at !== null && due_at > now);
      if (taken.length === 0) throw error;
      return taken;
    }
  };

  return {
    /**
     * Claims and starts due deliveries. Returns their number. If more are due, returns at least 1.
     */
    round: async (pace: Pace = unhurried): Promise<number> => {
      const unprobed = limiter.toProbe();
      const probed = await probe(unprobed);
      const backlog = limiter.backlog.size > 0 ? pace.allowed(limiter.inFlight.claimed) : 0;
      const turns = limiter.takeTurns({ fresh: deps.freshQueue.size(), backlog });
      const entered = enterQueuedFresh(deps, turns.fresh);
      const late = new Set(ids(entered));
      const shares = new Map(limiter.shares(ownership.owns, turns.backlog));
      if (entered.length + shares.size === 0) return limiter.toProbe().length > 0 ? 1 : 0;
      let taken: readonly DeliveryDocument[] = [];
      let active = probed;
      let suspended = 0;
      try {
        const known = new Set(unprobed);
        const wanted = new Set([...entered.map((each) => each.endpoint_id), ...shares.keys()]);
        const read = await probe([...wanted].filter((id) => !known.has(id)));
        active = new Map([...probed, ...read]);
        const isOut = (id: string) => isSuspended(active.get(id)) && shares.delete(id);
        suspended = [...wanted].filter(isOut).length;
        taken = await lease(entered, shares, active);
      } finally {
        const mine = new Set(ids(taken));
        for (const { _id } of entered) if (!mine.has(_id)) runner.leave(_id);
        pace.claimed(mine.difference(late).size);
      }
      await startAll(runner, taken, active);
      if (taken.length > 0) return taken.length;
      // The slots of suspended endpoints are free for other endpoints at once.
      return suspended + limiter.toProbe().length > 0 ? 1 : 0;
    },
  };
}

/**
 * Adds the next due deliveries of each endpoint. If the read for one endpoint fails, the others
 * continue.
 */
async function enterShares(
  deps: ClaimerDeps,
  entered: DeliveryDocument[],
  shares: ReadonlyMap<string, number>,
  active: Endpoints,
  now: Date,
): Promise<void> {
  const pages = [...shares].map(([endpointId, share]) =>
    enterDue(deps, { endpointId, share, now, resumedAt: active.get(endpointId)?.resumedAt }),
  );
  const read = await Promise.allSettled(pages);
  for (const page of read) if (page.status === "fulfilled") entered.push(...page.value);
  const failed = read.find((page) => page.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

type DuePage = {
  readonly endpointId: string;
  readonly share: number;
  readonly now: Date;
  readonly resumedAt: Date | undefined;
};

/** Starts a few deliveries at a time. Other work runs in between. */
async function startAll(
  runner: Runner,
  taken: readonly DeliveryDocument[],
  active: Endpoints,
): Promise<void> {
  for (const [at, delivery] of taken.entries()) {
    if (at > 0 && at % startedTogether === 0) await setImmediate();
    runner.start(delivery, active.get(delivery.endpoint_id));
  }
}

function isSuspended(endpoint: Recipient | undefined): boolean {
  return endpoint !== undefined && !isLive(endpoint);
}

function ids(deliveries: readonly DeliveryDocument[]): string[] {
  return deliveries.map(({ _id }) => _id);
}

/** Gives free slots to queued fresh deliveries. */
function enterQueuedFresh(
  { freshQueue, limiter, ownership, runner }: ClaimerDeps,
  max: number,
): DeliveryDocument[] {
  let left = max;
  return freshQueue.admit((delivery) => {
    const { _id, endpoint_id: endpointId, merchant_id: merchantId } = delivery;
    const queue = limiter.of(endpointId, merchantId);
    const isOpen = queue.health.circuit === "open";
    const isOut = isOpen || queue.liveness === "suspended";
    if (isOut || !ownership.owns(endpointId) || runner.has(_id)) return "never";
    if (left === 0 || !limiter.mayAdmit(queue)) return "later";
    left -= 1;
    runner.enter(delivery, false);
    return "now";
  });
}

/**
 * Gives slots to an endpoint's next due deliveries. For a failing endpoint, retries and first
 * attempts alternate.
 */
async function enterDue(
  { work, failing, limiter, runner, freshQueue }: ClaimerDeps,
  { endpointId, share, now, resumedAt }: DuePage,
): Promise<DeliveryDocument[]> {
  const retriesMax = limiter.retryTurns(endpointId, share);
  const [due, retries] = await Promise.all([
    work.due(endpointId, share, now),
    retriesMax === 0 ? [] : failing.dueRetries(endpointId, retriesMax, now),
  ]);
  const queue = limiter.of(endpointId, due[0]?.merchant_id);
  // Fresh deliveries may have taken slots in the meantime.
  const slotsLeft = Math.min(share, limiter.slotsLeft(queue));
  if (due.length < share && due.length <= slotsLeft) limiter.caughtUp(queue);
  // The lease of a delivery may have expired while this process still settles its attempt. Such a
  // delivery is skipped.
  const entered = inTurns(due, retries, slotsLeft).filter(({ _id }) => !runner.has(_id));
  for (const delivery of entered) {
    freshQueue.forget(delivery._id);
    runner.enter(delivery, true);
  }
  const hasWaited = ({ created_at }: DeliveryDocument) =>
    resumedAt !== undefined && created_at < resumedAt;
  limiter.pace(queue, entered.filter(hasWaited).length);
  return entered;
}

/**
 * Returns the deliveries that may start. After a pause, a delivery that follows another one is held
 * again for the usual time.
 */
async function holdBehind(
  { failing, release }: ClaimerDeps,
  due: readonly DeliveryDocument[],
  active: Endpoints,
  now: Date,
): Promise<readonly DeliveryDocument[]> {
  const waiters = due.filter((each) => {
    const { order = "bounded", sequence, attempts_count: attempts, due_at: dueAt } = each;
    if (each.replay > 0 || each.test || dueAt === null) return false;
    const waited = { order, sequence, attempts, createdAt: each.created_at, dueAt };
    return waitsAnew(waited, active.get(each.endpoint_id)?.resumedAt);
  });
  if (waiters.length === 0) return due;
  const lines = Map.groupBy(
    await failing.predecessors([...new Set(waiters.map(({ line }) => line))]),
    ({ line }) => line,
  );
  const behind = waiters.filter(({ line, sequence, order }) =>
    lines
      .get(line)
      ?.some(
        (other) =>
          other.sequence < sequence &&
          blocksNext({ state: other.state, attempts: other.attempts_count }, order),
      ),
  );
  await failing.hold(behind, now, new Date(now.getTime() + orderWaitMs));
  // The earlier deliveries may have ended since they were read.
  release(behind.map(({ line }) => line));
  const held = new Set(behind);
  return due.filter((each) => !held.has(each));
}
