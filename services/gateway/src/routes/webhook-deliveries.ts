import { create } from "@bufbuild/protobuf";
import {
  type Delivery,
  type DeliveryAttempt,
  DeliveryState,
  ListDeliveriesRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { endpointNameProblem } from "../domain/endpoint-name.ts";
import { readQuery } from "../domain/list-query.ts";
import {
  getDeliveryEndpoint,
  listDeliveriesEndpoint,
  listDeliveriesQuery,
  redeliverEndpoint,
} from "../reference/webhook-deliveries.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";
import { deliveryStates } from "./words.ts";

/** One event on its way to one endpoint (decisions §7). */
export function deliveryData(delivery: Delivery) {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    transaction_type: delivery.transactionType,
    transaction_id: delivery.transactionId,
    status: delivery.status,
    sequence: wireNumber(delivery.sequence),
    state: deliveryStates[delivery.state],
    attempts_count: delivery.attemptsCount,
    replay: delivery.replay,
    next_attempt_at: wireTime(delivery.nextAttemptAt),
    created_at: wireTime(delivery.createdAt),
    updated_at: wireTime(delivery.updatedAt),
  };
}

function attemptData(attempt: DeliveryAttempt) {
  return {
    number: attempt.number,
    started_at: wireTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
    response_body: attempt.responseBody,
  };
}

/** The endpoint's other name is read as the documented one is. */
const queryShape = { ...listDeliveriesQuery, endpoint: listDeliveriesQuery.endpoint_id };

/** The list's request out of its query. */
function listRequest({ merchantId, query }: Call) {
  const asked = readQuery(query, queryShape);
  if (isRefused(asked)) return asked;
  const problem = endpointNameProblem(asked);
  if (problem !== undefined) return problem;
  return create(ListDeliveriesRequestSchema, {
    merchantId,
    limit: asked.limit ?? 0,
    cursor: asked.cursor ?? "",
    endpointId: asked.endpoint_id ?? asked.endpoint ?? "",
    transactionId: asked.transaction_id ?? "",
    state: asked.state ?? DeliveryState.UNSPECIFIED,
  });
}

/** What was sent to a merchant's endpoints, and how it went. */
export function webhookDeliveryOperations({
  notifier,
}: Pick<Clients, "notifier">): readonly Operation[] {
  return [
    {
      ...listDeliveriesEndpoint,
      answer: async (call) => {
        const request = listRequest(call);
        if (isRefused(request)) return request;
        const reply = await notifier.listDeliveries(request);
        return { deliveries: reply.deliveries.map(deliveryData), meta_data: pageMetaData(reply) };
      },
    },
    {
      ...getDeliveryEndpoint,
      answer: async (call) => {
        const deliveryId = param(call, "deliveryId");
        const reply = await notifier.getDelivery({ merchantId: call.merchantId, deliveryId });
        const delivery = present(reply.delivery);
        return { ...deliveryData(delivery), attempts: delivery.attempts.map(attemptData) };
      },
    },
    {
      ...redeliverEndpoint,
      answer: async (call) => {
        const { merchantId, mutation } = call;
        const deliveryId = param(call, "deliveryId");
        const reply = await notifier.redeliver({ merchantId, mutation, deliveryId });
        return deliveryData(present(reply.delivery));
      },
    },
  ];
}
