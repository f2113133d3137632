import { createHash } from "node:crypto";
import { newId } from "@disburse/kernel/id.ts";
import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";
import { jitterFactor, nextAttemptAt } from "./schedule.ts";

export type DeliveryState = "pending" | "delivered" | "exhausted" | "cancelled";

export type Attempt = {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: Outcome;
};

/** The fields that identify a delivery. A repeat has the same values. */
export type DeliveryKey = {
  readonly merchantId: string;
  readonly eventId: string;
  readonly endpointId: string;
  /** 0 for the first delivery. Otherwise the number of the redelivery. */
  readonly replay: number;
};

/**
 * Derives the id and the jitter of a delivery from its key and its event's stored time of arrival.
 * So a repeat creates the same delivery.
 */
export function deliveryIdentity(
  key: DeliveryKey,
  receivedAt: Date,
): { id: string; jitter: number } {
  const text = `${key.merchantId}/${key.eventId}\n${key.endpointId}\n${key.replay}`;
  const hash = createHash("sha256").update(text).digest();
  const id = newId("delivery", receivedAt, (length) => hash.subarray(0, length));
  return { id, jitter: jitterFactor(hash.subarray(16)) };
}

/**
 * Returns the key of deliveries that keep their order: those of one transaction's events to one
 * endpoint.
 */
export function orderingKey(
  endpointId: string,
  transactionType: string,
  transactionId: string,
): string {
  return `${endpointId}/${transactionType}/${transactionId}`;
}

export type Transition =
  | { readonly state: "pending"; readonly nextAttemptAt: Date }
  | { readonly state: Exclude<DeliveryState, "pending"> };

/** Decides the state after an attempt. The delivery is delivered, due again, or exhausted. */
export function transitionAfter(
  attempt: Attempt,
  delivery: {
    readonly jitter: number;
    readonly deadline: Date;
    /** Attempts that were brought forward. Without them, the schedule's waits stay as they are. */
    readonly forwarded?: number | undefined;
  },
): Transition {
  if (isAcknowledged(attempt.outcome)) return { state: "delivered" };
  const { number, endedAt } = attempt;
  const { jitter, deadline, forwarded = 0 } = delivery;
  const attempts = Math.max(1, number - forwarded);
  const next = nextAttemptAt({ attempts, endedAt, jitter, deadline });
  return next === undefined ? { state: "exhausted" } : { state: "pending", nextAttemptAt: next };
}

/**
 * Ends a delivery without another attempt if its endpoint was deleted or its deadline has passed.
 */
export function transitionBefore(
  delivery: { readonly deadline: Date },
  endpointIsActive: boolean,
  now: Date,
): Transition | undefined {
  if (!endpointIsActive) return { state: "cancelled" };
  return now >= delivery.deadline ? { state: "exhausted" } : undefined;
}
