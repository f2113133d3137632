import { afterOutcome, circuitPauseMs, type Health } from "../../endpoints/rules/health.ts";
import { shardOf } from "../../endpoints/rules/shard.ts";
import type { Outcome } from "../../sender/rules/outcome.ts";
import {
  admissible,
  allot,
  type Candidate,
  claimable,
  guaranteedShare,
  retryTurns,
  type Sides,
  type Slots,
  takeTurns,
} from "../rules/fairness.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";

/** Limits the attempts in flight for each process, merchant and endpoint. */
export type Limiter = ReturnType<typeof createLimiter>;

/**
 * Interval between starts of deliveries that a pause has delayed. It results in 100 a second per
 * endpoint, the maximum rate of a replay.
 */
const resumedEveryMs = 10;

/** The state is in memory only, because no other process delivers to these endpoints. */
export function createLimiter(slots: Slots, elapsed: () => number) {
  const queues = createEndpointQueues(elapsed);
  const { backlog } = queues;
  const inFlight = createInFlight();
  let servedLast = "";
  let turn = 0;

  const setHealth = (queue: EndpointQueue, health: Health): void => {
    const isTurn = queue.health.circuit !== health.circuit;
    queue.health = health;
    if (isTurn) inFlight.circuitTurned(queue);
    if (health.circuit === "open") queue.waitsUntilMs = elapsed() + circuitPauseMs;
  };
  const merchantSlotsLeft = (merchantId: string): number =>
    slotsLeftIn(inFlight.ofMerchant(merchantId), slots.merchantMax);
  const slotsLeftOf = (queue: EndpointQueue): number =>
    slotsLeftOfEndpoint(queue, inFlight, slots, elapsed());
  const ownLimits = createOwnLimits((queue) => {
    // An endpoint that was not probed yet waits for this process.
    const isFull = queue.liveness !== "unknown" && slotsLeftOf(queue) <= 0;
    return isFull || merchantSlotsLeft(queue.merchantId) <= 0;
  }, elapsed);

  return {
    ...queues,
    ...createClaimTurns(queues.of, elapsed),
    wasLimitedWithin: ownLimits.wasLimitedWithin,
    enter: (queue: EndpointQueue, isClaimed: boolean): void => inFlight.count(queue, 1, isClaimed),
    leave: (queue: EndpointQueue, isClaimed: boolean): void => inFlight.count(queue, -1, isClaimed),
    isBusy: inFlight.isBusy,
    inFlight: inFlight.all,
    /**
     * Returns true if a fresh delivery may start now. The guaranteed share of a backlog stays free.
     */
    mayAdmit: (queue: EndpointQueue): boolean => {
      const isAdmitted = mayAdmit(queue, inFlight, backlog.size > 0, slots, elapsed());
      if (!isAdmitted) ownLimits.noteRefusal(queue);
      return isAdmitted;
    },
    /** Returns how many deliveries of an endpoint may be claimed now. Applies every limit. */
    slotsLeft: (queue: EndpointQueue): number =>
      Math.max(
        0,
        Math.min(
          slotsLeftOf(queue),
          merchantSlotsLeft(queue.merchantId),
          freeOf(inFlight.all, slots),
        ),
      ),

    /**
     * Updates the endpoint's health with an attempt's outcome. If the circuit is open, no attempt
     * starts for a while.
     */
    attempted: (queue: EndpointQueue, outcome: Outcome, at: Date): void => {
      setHealth(queue, afterOutcome(queue.health, outcome, at));
      queue.isUnsaved = true;
    },
    /** Restores health that the previous owner has saved. */
    restore: (healths: ReadonlyMap<string, Health>): void => {
      for (const [endpointId, health] of healths) setHealth(queues.of(endpointId), health);
    },
    /** Splits the process's free slots between fresh deliveries and the backlog. */
    takeTurns: (wanted: Sides): Sides => {
      const taken = takeTurns(slots.processMax - inFlight.all.running, wanted, turn);
      turn = taken.turn;
      return taken.given;
    },

    /** Returns the number of deliveries to claim, keyed by endpoint. */
    shares: (isOwn: (endpointId: string) => boolean, max: number): Map<string, number> => {
      const free = Math.min(freeOf(inFlight.all, slots), max);
      if (free <= 0 || backlog.size === 0) return new Map();
      const due: Candidate[] = [];
      for (const queue of backlog) {
        const slotsLeft = slotsLeftOf(queue);
        if (!isOwn(queue.endpointId)) queues.caughtUp(queue);
        else if (slotsLeft > 0) due.push({ ...queue, slotsLeft });
        else ownLimits.noteRefusal(queue);
      }
      const shares = allot(due, free, merchantSlotsLeft, slots.pageMax, servedLast);
      servedLast = [...shares.keys()].at(-1) ?? servedLast;
      return shares;
    },
  };
}

/** Separates waits for an endpoint's or its merchant's limits from waits for the process. */
function createOwnLimits(isFull: (queue: EndpointQueue) => boolean, elapsed: () => number) {
  return {
    /** Called when no delivery of the endpoint may start now. */
    noteRefusal: (queue: EndpointQueue): void => {
      if (queue.health.circuit === "open" || isFull(queue)) queue.limitedAtMs = elapsed();
    },
    /** Returns true if the endpoint's own limits have refused a start in the last `ms`. */
    wasLimitedWithin: ({ limitedAtMs }: EndpointQueue, ms: number): boolean =>
      limitedAtMs >= elapsed() - ms,
  };
}

/** Returns the slots that the backlog of an endpoint may still take. */
function slotsLeftOfEndpoint(
  queue: EndpointQueue,
  inFlight: Counts,
  slots: Slots,
  nowMs: number,
): number {
  if (Math.max(queue.waitsUntilMs, queue.pacedUntilMs) > nowMs) return 0;
  if (queue.liveness !== "live") return 0;
  if (queue.health.circuit === "closed") return slotsLeftIn(queue, queue.health.concurrency);
  return queue.running === 0 && inFlight.open() < slots.openMax ? 1 : 0;
}

/**
 * Splits an endpoint's claims between retries and first attempts. After a pause, it limits the rate
 * of the delayed deliveries.
 */
function createClaimTurns(of: (endpointId: string) => EndpointQueue, elapsed: () => number) {
  return {
    /**
     * Reports the number of started deliveries that a pause had delayed. The next ones wait until
     * the rate allows them.
     */
    pace: (queue: EndpointQueue, count: number): void => {
      if (count === 0) return;
      queue.pacedUntilMs = Math.max(queue.pacedUntilMs, elapsed()) + count * resumedEveryMs;
    },

    /** Returns how many of an endpoint's next claims are for retries. */
    retryTurns: (endpointId: string, count: number): number => {
      const queue = of(endpointId);
      if (queue.health.consecutiveFailures === 0) return 0;
      const turns = retryTurns(count, queue.failingClaims);
      queue.failingClaims += count;
      return turns;
    },
  };
}

function mayAdmit(
  queue: EndpointQueue,
  inFlight: Counts,
  hasBacklog: boolean,
  slots: Slots,
  nowMs: number,
): boolean {
  const { all } = inFlight;
  const kept = hasBacklog ? Math.max(0, guaranteedShare(slots.claimedMax) - all.claimed) : 0;
  const { circuit, concurrency } = queue.health;
  if (circuit === "open" || queue.waitsUntilMs > nowMs) return false;
  return (
    queue.running < concurrency &&
    queue.running - queue.claimed < admissible(concurrency, queue.hasBacklog) &&
    inFlight.ofMerchant(queue.merchantId).running < slots.merchantMax &&
    all.running + kept < slots.processMax
  );
}

type Counts = ReturnType<typeof createInFlight>;

/**
 * `running`: all attempts in flight. `claimed`: those among them that had waited in the store. The
 * others are fresh.
 */
type InFlight = { running: number; claimed: number };

/** Returns the slots of the process that may still be claimed. */
function freeOf({ running, claimed }: Readonly<InFlight>, slots: Slots): number {
  return Math.min(slots.processMax - running, slots.claimedMax - claimed);
}

/** Returns the slots that may still be claimed under a limit. */
function slotsLeftIn({ running, claimed }: Readonly<InFlight>, max: number): number {
  return Math.min(max - running, claimable(max) - claimed);
}

/** Counts the attempts in flight by process, merchant, endpoint and shard. */
function createInFlight() {
  const all: InFlight = { running: 0, claimed: 0 };
  const merchants = new Map<string, InFlight>();
  const shards = new Map<number, number>();
  let open = 0;

  const ofMerchant = (merchantId: string): InFlight =>
    merchants.get(merchantId) ?? { running: 0, claimed: 0 };

  return {
    all: all as Readonly<InFlight>,
    ofMerchant: ofMerchant as (merchantId: string) => Readonly<InFlight>,
    /** Returns the number of attempts in flight to endpoints with an open circuit. */
    open: (): number => open,
    isBusy: (shard: number): boolean => shards.has(shard),

    count: (queue: EndpointQueue, by: 1 | -1, isClaimed: boolean): void => {
      const merchant = ofMerchant(queue.merchantId);
      for (const each of [all, queue, merchant]) {
        each.running += by;
        if (isClaimed) each.claimed += by;
      }
      if (merchant.running === 0) merchants.delete(queue.merchantId);
      else merchants.set(queue.merchantId, merchant);
      const shard = shardOf(queue.endpointId);
      const inShard = (shards.get(shard) ?? 0) + by;
      if (inShard === 0) shards.delete(shard);
      else shards.set(shard, inShard);
      if (queue.health.circuit === "open") open += by;
    },

    /** Must be called when a circuit opens or closes. */
    circuitTurned: ({ health, running }: EndpointQueue): void => {
      open += health.circuit === "open" ? running : -running;
    },
  };
}
