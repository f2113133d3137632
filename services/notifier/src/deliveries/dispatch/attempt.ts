import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { openSigners } from "../../endpoints/keys.ts";
import type { Recipient } from "../../endpoints/rules/endpoint.ts";
import { signatureHeaders } from "../../endpoints/rules/signature.ts";
import type { Post } from "../../sender/sender.ts";
import type { DeliveryDocument } from "../documents.ts";
import { type Attempt, transitionAfter, transitionBefore } from "../rules/delivery.ts";
import type { Settlement } from "./work-store.ts";

/** What an attempt uses. */
export type AttemptDeps = {
  readonly clock: Clock;
  /** Dates signatures, which receivers compare with their clocks; `clock` if unset. */
  readonly wall?: Clock;
  readonly post: Post;
  readonly sealer: Sealer;
  /** The name of the interface's signature header. */
  readonly signatureHeader: string;
  readonly log: Log;
};

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
  const outcome = await deps.post(webhook(deps, delivery, endpoint, startedAt));
  const endedAt = clock.now();
  const attempt: Attempt = { number: attemptsBefore + 1, startedAt, endedAt, outcome };
  const transition = transitionAfter(attempt, { jitter, deadline });
  log.info(
    {
      delivery_id: id,
      endpoint_id: endpoint.id,
      event_id: delivery.event_id,
      attempt: attempt.number,
      result: outcome.kind === "answered" ? outcome.statusCode : outcome.error,
      state: transition.state,
      duration_ms: endedAt.getTime() - startedAt.getTime(),
    },
    "webhook attempted",
  );
  return { ...settlement, attempt, transition, at: endedAt };
}

function webhook(
  { sealer, signatureHeader, clock, wall = clock }: AttemptDeps,
  delivery: DeliveryDocument,
  endpoint: Recipient,
  now: Date,
) {
  const body = delivery.body.value();
  const signable = {
    eventId: delivery.event_id,
    transactionId: delivery.transaction_id,
    status: delivery.status,
    sequence: delivery.sequence,
    body,
  };
  const headers = signatureHeaders(
    signable,
    openSigners(sealer, endpoint, now),
    signatureHeader,
    wall.now(),
  );
  return { url: endpoint.url, headers, body };
}
