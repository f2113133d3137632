import type { DeliveryOrder } from "../../endpoints/rules/endpoint.ts";
import { isOptIn } from "../../endpoints/rules/opt-in.ts";
import type { DeliveryState } from "./delivery.ts";

/**
 * Order of a transaction's events at one endpoint. Bounded, the default: event N+1 waits for N, at
 * most 30 s or 3 attempts of N, then goes (decisions, webhooks); `webhook-sequence` lets the
 * receiver drop what is stale. Strict: it waits until N has ended. None: it does not wait.
 */
export const orderWaitMs = 30_000;

/** Until when a delivery waits that waits without bound. */
export const withoutBound = new Date("9999-12-31T00:00:00.000Z");

/** After this many attempts of an event the next one waits no longer. */
export const orderAttemptsMax = 3;

/**
 * How long an event waits for one before it that has not arrived. A payout's version will come;
 * another publisher may count with gaps, each of which costs the whole wait.
 */
const unseenWaitMs: Readonly<Record<string, number>> = { payout_session: orderWaitMs };
const unseenWaitDefaultMs = 5_000;
/** In strict order: a payout's version that was lost is found in minutes, or after a day never. */
const unseenWaitStrictMs: Readonly<Record<string, number>> = { payout_session: 86_400_000 };
const unseenWaitStrictDefaultMs = 300_000;

/** A wake-up that was lost is found by looking again, ever less often the longer it waits. */
const lookAgainMs = { least: 30_000, most: 600_000 };

/** A delivery as its line sees it; redeliveries stand in no line. */
export type OrderedDelivery = {
  readonly id: string;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
};

/** Whether the ones behind a delivery still wait for it. */
export function blocksNext(
  delivery: Pick<OrderedDelivery, "state" | "attempts">,
  order: DeliveryOrder = "bounded",
): boolean {
  if (delivery.state !== "pending" || order === "none") return false;
  return order === "strict" || delivery.attempts < orderAttemptsMax;
}

/**
 * Whether what waits for an event waits otherwise once it has arrived. For payouts it does not, and
 * nothing waits for an opt-in event that is not there: none is stored before it is subscribed to.
 */
export function arrivalMatters(transactionType: string): boolean {
  return unseenWaitMs[transactionType] === undefined && !isOptIn(transactionType);
}

/**
 * Until when a delivery waits, if anything before it in its whole `line` holds it up;
 * `beforeArrived`: the event just before it is stored, and in the line if it goes there.
 */
export function heldUntil(
  delivery: OrderedDelivery & { readonly order: DeliveryOrder },
  line: readonly OrderedDelivery[],
  transactionType: string,
  beforeArrived: boolean,
): Date | undefined {
  const { order, sequence } = delivery;
  if (order === "none") return undefined;
  const until = (ms: number): Date => new Date(delivery.createdAt.getTime() + ms);
  const ahead = line.filter((other) => other.sequence < sequence);
  if (ahead.some((other) => blocksNext(other, order))) {
    return order === "strict" ? withoutBound : until(orderWaitMs);
  }
  if (sequence === 1 || beforeArrived || isOptIn(transactionType)) return undefined;
  // A strict delivery goes only after a recheck, never at a stored moment.
  if (order === "strict") return withoutBound;
  return until(unseenWaitMs[transactionType] ?? unseenWaitDefaultMs);
}

type Waited = Pick<OrderedDelivery, "sequence" | "attempts" | "createdAt"> & {
  readonly order: DeliveryOrder;
  readonly dueAt: Date;
};

/**
 * Whether a delivery may be due only because its endpoint was paused, and then waits for the ones
 * before it anew: all of a payout's events would go at once.
 */
export function waitsAnew(delivery: Waited, resumedAt: Date | undefined): boolean {
  const { order, sequence, attempts, createdAt, dueAt } = delivery;
  if (resumedAt === undefined || createdAt >= resumedAt || dueAt >= resumedAt) return false;
  return order !== "none" && sequence > 1 && attempts === 0;
}

/** When a strict delivery goes without the one before it, should that never arrive. */
export function givesUpAt(createdAt: Date, transactionType: string): Date {
  const waitMs = unseenWaitStrictMs[transactionType] ?? unseenWaitStrictDefaultMs;
  return new Date(createdAt.getTime() + waitMs);
}

/** Whether a strict delivery has waited long enough for one that has not even arrived. */
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

/** When to look again at a delivery that waits without bound: also just when it gives up. */
export function recheckAt(createdAt: Date, now: Date, givesUp?: Date): Date {
  const waited = (now.getTime() - createdAt.getTime()) / 2;
  const { least, most } = lookAgainMs;
  const next = new Date(now.getTime() + Math.min(Math.max(waited, least), most));
  return givesUp !== undefined && givesUp > now && givesUp < next ? givesUp : next;
}
