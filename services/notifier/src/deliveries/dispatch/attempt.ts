import type { Log } from "@disburse/chassis/log.ts";
import { type SigningDeps, signedRequest } from "../../endpoints/keys.ts";
import type { Recipient } from "../../endpoints/rules/endpoint.ts";
import { isAcknowledged } from "../../sender/rules/outcome.ts";
import type { DeliveryDocument } from "../documents.ts";
import { type Attempt, transitionAfter, transitionBefore } from "../rules/delivery.ts";
import { type PostDeps, postDelivery } from "./call-span.ts";
import type { Settlement } from "./work-store.ts";

/** What an attempt uses. */
export type AttemptDeps = SigningDeps & PostDeps & { readonly log: Log };

/** Makes the next attempt of a leased delivery, unless it ends without one. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: DeliveryDocument,
  endpoint: Recipient | undefined,
): Promise<Settlement> {
  const { clock, log } = deps;
  const { _id: id, lease, line, deadline, jitter } = delivery;
  if (lease === null || deadline === null) throw new Error(`delivery ${id} is not leased`);
  const attemptsBefore = delivery.attempts_count;
  const settlement = { id, leaseToken: lease.token, line, attemptsBefore };
  const startedAt = clock.now();
  const before = transitionBefore({ deadline }, endpoint !== undefined, startedAt);
  if (before !== undefined || endpoint === undefined) {
    return { ...settlement, transition: before ?? { state: "cancelled" }, at: startedAt };
  }
  const event = {
    eventId: delivery.event_id,
    transactionId: delivery.transaction_id,
    status: delivery.status,
    sequence: delivery.sequence,
    body: delivery.body.value(),
  };
  const request = signedRequest(deps, endpoint, endpoint.url, event, startedAt);
  return postDelivery(deps, delivery, request, (outcome) => {
    const endedAt = clock.now();
    const attempt: Attempt = { number: attemptsBefore + 1, startedAt, endedAt, outcome };
    const transition = transitionAfter(attempt, { jitter, deadline });
    const fields = {
      delivery_id: id,
      endpoint_id: endpoint.id,
      event_id: delivery.event_id,
      transaction_id: delivery.transaction_id,
      attempt: attempt.number,
      result: outcome.kind === "answered" ? outcome.statusCode : outcome.error,
      state: transition.state,
      duration_ms: endedAt.getTime() - startedAt.getTime(),
    };
    if (isAcknowledged(outcome)) log.debug(fields, "webhook delivered");
    else log.info(fields, "webhook failed");
    return { ...settlement, attempt, transition, at: endedAt };
  });
}
