import type { DeliveryOrder } from "../../endpoints/rules/endpoint.ts";
import { isOptIn } from "../../endpoints/rules/opt-in.ts";
import type { DeliveryState } from "./delivery.ts";

/**
 * Order of a transaction's events at one endpoint.
 *
 * Bounded, the default: event N+1 waits for N, at most 30 s or 3 attempts of N (decisions,
 * webhooks). `webhook-sequence` lets the receiver drop outdated events.
 *
 * Strict: event N+1 waits until N has ended.
 *
 * None: events don't wait.
 */
export const orderWaitMs = 30_000;

/** The due time of a delivery that waits without bound. */
export const withoutBound = new Date("9999-12-31T00:00:00.000Z");

/** After this many attempts of an event, the next event stops waiting. */
export const orderAttemptsMax = 3;

/**
 * Maximum wait for an earlier event that has not arrived. A payout's version will arrive. Other
 * publishers may leave gaps in their numbers, and each gap costs the whole wait.
 */
const unseenWaitMs: Readonly<Record<string, number>> = { payout_session: orderWaitMs };
const unseenWaitDefaultMs = 5_000;
/** In strict order. A payout's lost version is found within minutes, or after a day never. */
const unseenWaitStrictMs: Readonly<Record<string, number>> = { payout_session: 86_400_000 };
const unseenWaitStrictDefaultMs = 300_000;

/** Rechecks make up for lost wake-ups. Their interval grows with the wait. */
const recheckMs = { least: 30_000, most: 600_000 };

/** The fields of a delivery that the order depends on. Redeliveries have no place in the order. */
export type OrderedDelivery = {
  readonly id: string;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
};

/** Returns true while later deliveries still wait for this one. */
export function blocksNext(
  delivery: Pick<OrderedDelivery, "state" | "attempts">,
  order: DeliveryOrder = "bounded",
): boolean {
  if (delivery.state !== "pending" || order === "none") return false;
  return order === "strict" || delivery.attempts < orderAttemptsMax;
}

/**
 * Returns true if an event's arrival changes the waits for it. For payouts it changes none. For
 * opt-in events none waits for a missing one, because earlier ones may precede the subscription.
 */
export function arrivalMatters(transactionType: string): boolean {
  return unseenWaitMs[transactionType] === undefined && !isOptIn(transactionType);
}

/**
 * Returns the end of a delivery's wait, if an earlier one in its `line` holds it. `beforeArrived`:
 * the previous event is stored, and in `line` if it goes to this endpoint.
 */
export function heldUntil(
  delivery: OrderedDelivery & { readonly order: DeliveryOrder },
  line: readonly OrderedDelivery[],
  transactionType: string,
  previousArrived: boolean,
): Date | undefined {
  const { order, sequence } = delivery;
  if (order === "none") return undefined;
  const until = (ms: number): Date => new Date(delivery.createdAt.getTime() + ms);
  const ahead = line.filter((other) => other.sequence < sequence);
  if (ahead.some((other) => blocksNext(other, order))) {
    return order === "strict" ? withoutBound : until(orderWaitMs);
  }
  if (sequence === 1 || previousArrived || isOptIn(transactionType)) return undefined;
  // A strict delivery is released only by a recheck, never by a stored time.
  if (order === "strict") return withoutBound;
  return until(unseenWaitMs[transactionType] ?? unseenWaitDefaultMs);
}

type Waited = Pick<OrderedDelivery, "sequence" | "attempts" | "createdAt"> & {
  readonly order: DeliveryOrder;
  readonly dueAt: Date;
};

/**
 * Returns true if a delivery is due only because its endpoint was paused. It then waits for earlier
 * ones again. Otherwise all events of a payout would start at once.
 */
export function waitsAnew(delivery: Waited, resumedAt: Date | undefined): boolean {
  const { order, sequence, attempts, createdAt, dueAt } = delivery;
  if (resumedAt === undefined || createdAt >= resumedAt || dueAt >= resumedAt) return false;
  return order !== "none" && sequence > 1 && attempts === 0;
}

/** Returns when a strict delivery goes without a predecessor that never arrived. */
export function givesUpAt(createdAt: Date, transactionType: string): Date {
  const waitMs = unseenWaitStrictMs[transactionType] ?? unseenWaitStrictDefaultMs;
  return new Date(createdAt.getTime() + waitMs);
}

/** Returns true if a strict delivery waited long enough for a predecessor that has not arrived. */
export function isGivenUp(
  delivery: OrderedDelivery & { readonly order: DeliveryOrder },
  line: readonly OrderedDelivery[],
  transactionType: string,
  now: Date,
): boolean {
  if (delivery.order !== "strict") return false;
  const ahead = line.filter((other) => other.sequence < delivery.sequence);
  if (ahead.some((other) => blocksNext(other, "strict"))) return false;
  return now >= givesUpAt(delivery.createdAt, transactionType);
}

/** Schedules the next check of an unbounded wait, no later than the time at which it gives up. */
export function recheckAt(createdAt: Date, now: Date, givesUp?: Date): Date {
  const waited = (now.getTime() - createdAt.getTime()) / 2;
  const { least, most } = recheckMs;
  const next = new Date(now.getTime() + Math.min(Math.max(waited, least), most));
  return givesUp !== undefined && givesUp > now && givesUp < next ? givesUp : next;
}
