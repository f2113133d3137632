import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CircuitState,
  DeliveryOrder as DeliveryOrderMessage,
  type EndpointHealth,
  EndpointHealthSchema,
  type Endpoint as EndpointMessage,
  EndpointSchema,
  EndpointState as EndpointStateMessage,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  type DeliveryOrder,
  type Endpoint,
  type EndpointState,
  endpointState,
} from "./rules/endpoint.ts";
import type { Health } from "./rules/health.ts";

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

/** What waits for one endpoint. */
export type Backlog = {
  /** Up to `countMax` of a list. */
  readonly pendingCount: number;
  readonly oldestPendingAt: Date | undefined;
};

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
