import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CircuitState,
  type Delivery,
  type DeliveryAttempt,
  DeliveryAttemptSchema,
  DeliveryOrder as DeliveryOrderMessage,
  DeliverySchema,
  DeliveryState as DeliveryStateMessage,
  type EndpointHealth,
  EndpointHealthSchema,
  type Endpoint as EndpointMessage,
  EndpointSchema,
  EndpointState as EndpointStateMessage,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { DeliveryState } from "./domain/delivery.ts";
import {
  type DeliveryOrder,
  type Endpoint,
  type EndpointState,
  endpointState,
} from "./domain/endpoint.ts";
import type { Health } from "./domain/health.ts";
import type { Backlog } from "./store/backlog-store.ts";
import type { AttemptDocument, DeliveryDocument } from "./store/documents.ts";

/** Each state as the contract names it. */
export const deliveryStates = {
  pending: DeliveryStateMessage.PENDING,
  delivered: DeliveryStateMessage.DELIVERED,
  exhausted: DeliveryStateMessage.EXHAUSTED,
  cancelled: DeliveryStateMessage.CANCELLED,
} as const satisfies Record<DeliveryState, DeliveryStateMessage>;

const stateNames: Readonly<Record<DeliveryStateMessage, DeliveryState | undefined>> = {
  [DeliveryStateMessage.UNSPECIFIED]: undefined,
  [DeliveryStateMessage.PENDING]: "pending",
  [DeliveryStateMessage.DELIVERED]: "delivered",
  [DeliveryStateMessage.EXHAUSTED]: "exhausted",
  [DeliveryStateMessage.CANCELLED]: "cancelled",
};

/** The state that a list is narrowed to; `undefined` for any. */
export function stateFilter(state: DeliveryStateMessage): DeliveryState | undefined {
  return stateNames[state];
}

const endpointStates = {
  active: EndpointStateMessage.ACTIVE,
  paused: EndpointStateMessage.PAUSED,
  unverified: EndpointStateMessage.UNVERIFIED,
} as const satisfies Record<EndpointState, EndpointStateMessage>;

const deliveryOrders = {
  none: DeliveryOrderMessage.NONE,
  bounded: DeliveryOrderMessage.BOUNDED,
  strict: DeliveryOrderMessage.STRICT,
} as const satisfies Record<DeliveryOrder, DeliveryOrderMessage>;

const circuitStates = {
  closed: CircuitState.CLOSED,
  open: CircuitState.OPEN,
} as const satisfies Record<Health["circuit"], CircuitState>;

export function endpointMessage(endpoint: Endpoint): EndpointMessage {
  return create(EndpointSchema, {
    id: endpoint.id,
    merchantId: endpoint.merchantId,
    url: endpoint.url,
    description: endpoint.description,
    state: endpointStates[endpointState(endpoint)],
    order: deliveryOrders[endpoint.order],
    eventTypes: [...endpoint.eventTypes],
    pendingUrl: endpoint.pendingUrl ?? "",
    createdAt: timestampFromDate(endpoint.createdAt),
    updatedAt: timestampFromDate(endpoint.updatedAt),
  });
}

/** How an endpoint takes its events, and what waits for it. */
export function healthMessage(health: Health, backlog: Backlog): EndpointHealth {
  const times = {
    lastDeliveredAt: health.lastDeliveredAt,
    lastFailedAt: health.lastFailedAt,
    oldestPendingAt: backlog.oldestPendingAt,
  };
  const known = Object.entries(times).flatMap(([name, at]) =>
    at === undefined ? [] : [[name, timestampFromDate(at)]],
  );
  return create(EndpointHealthSchema, {
    circuit: circuitStates[health.circuit],
    concurrencyLimit: health.concurrency,
    consecutiveFailures: health.consecutiveFailures,
    lastFailure: health.lastFailure,
    pendingCount: BigInt(backlog.pendingCount),
    ...Object.fromEntries(known),
  });
}

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
    state: deliveryStates[delivery.state],
    attemptsCount: delivery.attempts_count,
    ...(next === null ? {} : { nextAttemptAt: timestampFromDate(next) }),
    createdAt: timestampFromDate(delivery.created_at),
    updatedAt: timestampFromDate(delivery.updated_at),
    attempts: attempts.map(attemptMessage),
    replay: delivery.replay,
  });
}
