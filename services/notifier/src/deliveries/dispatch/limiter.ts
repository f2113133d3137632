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

/** Limits attempts in flight per process, merchant and endpoint. */
export type Limiter = ReturnType<typeof createLimiter>;

/**
 * Deliveries delayed by a pause start at 100 a second per endpoint, the maximum rate of a replay.
 */
const resumedEveryMs = 10;

/** Keeps its state in memory, because this process alone owns its endpoints. */
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

  return {
    ...queues,
    ...createClaimTurns(queues.of, elapsed),
    enter: (queue: EndpointQueue, isClaimed: boolean): void => inFlight.count(queue, 1, isClaimed),
    leave: (queue: EndpointQueue, isClaimed: boolean): void => inFlight.count(queue, -1, isClaimed),
    isBusy: inFlight.isBusy,
    inFlight: inFlight.all,
    /** Returns true if a fresh delivery may start now. A backlog keeps its guaranteed share. */
    mayAdmit: (queue: EndpointQueue): boolean =>
      mayAdmit(queue, inFlight, backlog.size > 0, slots, elapsed()),
    /** Returns how many deliveries of an endpoint may be claimed now, under every limit. */
    slotsLeft: (queue: EndpointQueue): number =>
      Math.max(
        0,
        Math.min(
          slotsLeftOf(queue),
          merchantSlotsLeft(queue.merchantId),
          freeOf(inFlight.all, slots),
        ),
      ),

    /** Counts an attempt's outcome. An open circuit then pauses the endpoint. */
    attempted: (queue: EndpointQueue, outcome: Outcome, at: Date): void => {
      setHealth(queue, afterOutcome(queue.health, outcome, at));
      queue.isUnsaved = true;
    },
    /** Restores the health that the previous owner saved. */
    restore: (healths: ReadonlyMap<string, Health>): void => {
      for (const [endpointId, health] of healths) setHealth(queues.of(endpointId), health);
    },
    /** Splits the process's free slots between fresh deliveries and the backlog. */
    takeTurns: (wanted: Sides): Sides => {
      const taken = takeTurns(slots.processMax - inFlight.all.running, wanted, turn);
      turn = taken.turn;
      return taken.given;
    },

    /** Returns the number of deliveries to claim, by endpoint. */
    shares: (isOwn: (endpointId: string) => boolean, max: number): Map<string, number> => {
      const free = Math.min(freeOf(inFlight.all, slots), max);
      if (free <= 0 || backlog.size === 0) return new Map();
      const due: Candidate[] = [];
      for (const queue of backlog) {
        const slotsLeft = slotsLeftOf(queue);
        if (!isOwn(queue.endpointId)) queues.caughtUp(queue);
        else if (slotsLeft > 0) due.push({ ...queue, slotsLeft });
      }
      const shares = allot(due, free, merchantSlotsLeft, slots.pageMax, servedLast);
      servedLast = [...shares.keys()].at(-1) ?? servedLast;
      return shares;
    },
  };
}

/** Slots of an endpoint that its backlog may still take. */
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

/** Splits an endpoint's claims between retries and first attempts, and paces them after a pause. */
function createClaimTurns(of: (endpointId: string) => EndpointQueue, elapsed: () => number) {
  return {
    /** Reports starts that a pause delayed. The next ones wait for their pace. */
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

/** Attempts in flight. Claimed ones had waited; the others are fresh. */
type InFlight = { running: number; claimed: number };

/** Slots of the process that may still be claimed. */
function freeOf({ running, claimed }: Readonly<InFlight>, slots: Slots): number {
  return Math.min(slots.processMax - running, slots.claimedMax - claimed);
}

/** Slots under a limit that may still be claimed. */
function slotsLeftIn({ running, claimed }: Readonly<InFlight>, max: number): number {
  return Math.min(max - running, claimable(max) - claimed);
}

/** Counts attempts in flight by process, merchant, endpoint and shard. */
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
    /** Attempts at endpoints with an open circuit. */
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

    /** Called when a circuit opens or closes. */
    circuitTurned: ({ health, running }: EndpointQueue): void => {
      open += health.circuit === "open" ? running : -running;
    },
  };
}
