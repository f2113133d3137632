import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { valueOfWord } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  DeliveryAttemptSchema,
  DeliverySchema,
  DeliveryState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { AttemptDocument, DeliveryDocument } from "./documents.ts";

function attemptMessage(attempt: AttemptDocument): DeliveryAttempt {
  return create(DeliveryAttemptSchema, {
    number: attempt.number,
    startedAt: timestampFromDate(attempt.started_at),
    durationMs: attempt.duration_ms,
    statusCode: attempt.status_code,
    error: attempt.error,
    responseBody: attempt.response_body,
  });
}

/** A delivery without its attempts, as lists show it. */
export function deliveryMessage(
  delivery: Omit<DeliveryDocument, "body" | "attempts">,
  attempts: readonly AttemptDocument[] = [],
): Delivery {
  const { next_attempt_at: next } = delivery;
  return create(DeliverySchema, {
    id: delivery._id,
    merchantId: delivery.merchant_id,
    endpointId: delivery.endpoint_id,
    eventId: delivery.event_id,
    transactionType: delivery.transaction_type,
    transactionId: delivery.transaction_id,
    status: delivery.status,
    sequence: BigInt(delivery.sequence),
    state: valueOfWord(DeliveryState, delivery.state),
    attemptsCount: delivery.attempts_count,
    ...(next === null ? {} : { nextAttemptAt: timestampFromDate(next) }),
    createdAt: timestampFromDate(delivery.created_at),
    updatedAt: timestampFromDate(delivery.updated_at),
    attempts: attempts.map(attemptMessage),
    replay: delivery.replay,
  });
}
