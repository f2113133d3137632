import type { DeliveryState } from "./delivery.ts";

/**
 * Order of a transaction's events at one endpoint: event N+1 waits for N, at most 30 s or 3
 * attempts of N, then goes (decisions, webhooks). `webhook-sequence` lets the receiver drop what is
 * stale.
 */
export const orderWaitMs = 30_000;

/** After this many attempts of an event the next one waits no longer. */
export const orderAttemptsMax = 3;

/**
 * How long an event waits for one before it that has not even arrived. Payout versions have no gap,
 * so it will come; another publisher may count with gaps, and each would cost its merchant the
 * whole wait.
 */
const unseenWaitMs: Readonly<Record<string, number>> = { payout_session: orderWaitMs };
const unseenWaitDefaultMs = 5_000;

/** A delivery as its line sees it; redeliveries stand in no line. */
export type InLine = {
  readonly id: string;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: Date;
};

/** Whether the ones behind a delivery still wait for it. */
export function holdsUp(delivery: Pick<InLine, "state" | "attempts">): boolean {
  return delivery.state === "pending" && delivery.attempts < orderAttemptsMax;
}

/**
 * Until when a delivery waits, or `undefined` when nothing before it holds it up. `line` is all of
 * its line; `beforeArrived` tells whether the event just before it is stored, whomever it was sent
 * to.
 */
export function heldUntil(
  delivery: InLine,
  line: readonly InLine[],
  transactionType: string,
  beforeArrived: boolean,
): Date | undefined {
  const until = (ms: number): Date => new Date(delivery.createdAt.getTime() + ms);
  const ahead = line.filter((other) => other.sequence < delivery.sequence);
  if (ahead.some(holdsUp)) return until(orderWaitMs);
  if (delivery.sequence === 1 || beforeArrived) return undefined;
  return until(unseenWaitMs[transactionType] ?? unseenWaitDefaultMs);
}
