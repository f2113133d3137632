import type { DeliveryOrder } from "../../endpoints/rules/endpoint.ts";
import { isOptIn } from "../../endpoints/rules/opt-in.ts";
import type { DeliveryState } from "./delivery.ts";

/**
 * The order of a transaction's events at one endpoint. There are three modes. Bounded is the
 * default: event N+1 waits for event N, for at most 30 s or 3 attempts of event N (decisions,
 * webhooks). The receiver can drop outdated events by their `webhook-sequence`. Strict: event N+1
 * waits until the delivery of event N has ended. None: events don't wait.
 */
export const orderWaitMs = 30_000;

/** The due time of a delivery whose wait has no time limit. */
export const withoutBound = new Date("9999-12-31T00:00:00.000Z");

/** The next event stops waiting when an event has had this many attempts. */
export const orderAttemptsMax = 3;

/**
 * Maximum wait for an earlier event that has not arrived. For a payout, the earlier event will
 * arrive. Other publishers may skip numbers, and each skipped number costs the whole wait.
 */
const unseenWaitMs: Readonly<Record<string, number>> = { payout_session: orderWaitMs };
const unseenWaitDefaultMs = 5_000;
/**
 * The same maximum for strict order. A lost payout event is usually found within minutes. After a
 * day it will never be found.
 */
const unseenWaitStrictMs: Readonly<Record<string, number>> = { payout_session: 86_400_000 };
const unseenWaitStrictDefaultMs = 300_000;

/**
 * Interval between two rechecks of a wait. It grows with the duration of the wait. Rechecks are
 * needed because a notification can be lost.
 */
const recheckMs = { least: 30_000, most: 600_000 };

/** The fields of a delivery that its position depends on. Redeliveries have no position. */
export type OrderedDelivery = {
  readonly id: string;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
};

/** Returns true if later deliveries must wait for this one. */
export function blocksNext(
  delivery: Pick<OrderedDelivery, "state" | "attempts">,
  order: DeliveryOrder = "bounded",
): boolean {
  if (delivery.state !== "pending" || order === "none") return false;
  return order === "strict" || delivery.attempts < orderAttemptsMax;
}

/**
 * Returns true if the arrival of an event can end the wait of later events. For payouts it can't.
 * An opt-in event never waits for a missing one, because earlier events may be older than the
 * subscription.
 */
export function arrivalMatters(transactionType: string): boolean {
  return unseenWaitMs[transactionType] === undefined && !isOptIn(transactionType);
}

/**
 * Returns the end of a delivery's wait. Returns `undefined` if the delivery need not wait. `line`
 * contains the deliveries under the same ordering key. `previousArrived` means that the previous
 * event is stored, and that `line` contains its delivery if it goes to this endpoint.
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
  // A strict delivery never starts at a stored time. Only a recheck releases it.
  if (order === "strict") return withoutBound;
  return until(unseenWaitMs[transactionType] ?? unseenWaitDefaultMs);
}

type Waited = Pick<OrderedDelivery, "sequence" | "attempts" | "createdAt"> & {
  readonly order: DeliveryOrder;
  readonly dueAt: Date;
};

/**
 * Returns true if a delivery is due only because its endpoint was paused. Such a delivery waits
 * again for earlier ones. Otherwise all events of a payout would be sent at the same time after the
 * pause.
 */
export function waitsAnew(delivery: Waited, resumedAt: Date | undefined): boolean {
  const { order, sequence, attempts, createdAt, dueAt } = delivery;
  if (resumedAt === undefined || createdAt >= resumedAt || dueAt >= resumedAt) return false;
  return order !== "none" && sequence > 1 && attempts === 0;
}

/**
 * Returns the time at which a strict delivery stops waiting for a predecessor that never arrived.
 */
export function givesUpAt(createdAt: Date, transactionType: string): Date {
  const waitMs = unseenWaitStrictMs[transactionType] ?? unseenWaitStrictDefaultMs;
  return new Date(createdAt.getTime() + waitMs);
}

/**
 * Returns true if a strict delivery has waited long enough for a predecessor that has not arrived.
 */
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

/**
 * Returns the time of the next check of a wait without a time limit. `givesUp` is the latest time.
 */
export function recheckAt(createdAt: Date, now: Date, givesUp?: Date): Date {
  const waited = (now.getTime() - createdAt.getTime()) / 2;
  const { least, most } = recheckMs;
  const next = new Date(now.getTime() + Math.min(Math.max(waited, least), most));
  return givesUp !== undefined && givesUp > now && givesUp < next ? givesUp : next;
}
