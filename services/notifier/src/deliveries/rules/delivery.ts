import { createHash } from "node:crypto";
import { newId } from "@disburse/kernel/id.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import { jitterFactor, nextAttemptAt } from "./schedule.ts";

/** Where a delivery stands. */
export type DeliveryState = "pending" | "delivered" | "exhausted" | "cancelled";

/** A line of a delivery's log. */
export type Attempt = {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: Outcome;
};

/** What makes a delivery the one that it is, however often it is made. */
export type DeliveryKey = {
  readonly merchantId: string;
  readonly eventId: string;
  readonly endpointId: string;
  /** 0, or which redelivery it is. */
  readonly replay: number;
};

/** A delivery's id and jitter, from its key and its event's stored arrival: made twice, one. */
export function deliveryIdentity(
  key: DeliveryKey,
  receivedAt: Date,
): { id: string; jitter: number } {
  const text = `${key.merchantId}/${key.eventId}\n${key.endpointId}\n${key.replay}`;
  const hash = createHash("sha256").update(text).digest();
  const id = newId("delivery", receivedAt, (length) => hash.subarray(0, length));
  return { id, jitter: jitterFactor(hash.subarray(16)) };
}

/** The deliveries among which order is kept: one transaction's, to one endpoint. */
export function orderingKey(
  endpointId: string,
  transactionType: string,
  transactionId: string,
): string {
  return `${endpointId}/${transactionType}/${transactionId}`;
}

/** What becomes of a delivery. */
export type Transition =
  | { readonly state: "pending"; readonly nextAttemptAt: Date }
  | { readonly state: Exclude<DeliveryState, "pending"> };

/** What an attempt makes of its delivery: delivered, due again, or exhausted. */
export function transitionAfter(
  attempt: Attempt,
  delivery: { readonly jitter: number; readonly deadline: Date },
): Transition {
  if (isAcknowledged(attempt.outcome)) return { state: "delivered" };
  const { number: attempts, endedAt } = attempt;
  const { jitter, deadline } = delivery;
  const next = nextAttemptAt({ attempts, endedAt, jitter, deadline });
  return next === undefined ? { state: "exhausted" } : { state: "pending", nextAttemptAt: next };
}

/** What is known before an attempt starts: where it goes may be gone, its time may be over. */
export function transitionBefore(
  delivery: { readonly deadline: Date },
  endpointIsActive: boolean,
  now: Date,
): Transition | undefined {
  if (!endpointIsActive) return { state: "cancelled" };
  return now >= delivery.deadline ? { state: "exhausted" } : undefined;
}
