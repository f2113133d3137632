import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  CircuitState,
  DeliveryOrder,
  type EndpointHealth,
  EndpointHealthSchema,
  type Endpoint as EndpointMessage,
  EndpointSchema,
  EndpointState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { type Endpoint, endpointState } from "./rules/endpoint.ts";
import type { Health } from "./rules/health.ts";

export function endpointMessage(endpoint: Endpoint): EndpointMessage {
  return create(EndpointSchema, {
    id: endpoint.id,
    merchantId: endpoint.merchantId,
    url: endpoint.url,
    description: endpoint.description,
    state: enumValue(EndpointState, endpointState(endpoint)),
    order: enumValue(DeliveryOrder, endpoint.order),
    eventTypes: [...endpoint.eventTypes],
    headerNames: [...(endpoint.headerNames ?? [])],
    pendingUrl: endpoint.pendingUrl ?? "",
    ...(endpoint.pausedAt && { pausedAt: timestampFromDate(endpoint.pausedAt) }),
    pauseReason: endpoint.pausedFor ?? "",
    createdAt: timestampFromDate(endpoint.createdAt),
    createdBy: {
      kind: enumValue(Actor_Kind, endpoint.createdBy.kind),
      id: endpoint.createdBy.id,
    },
    updatedAt: timestampFromDate(endpoint.updatedAt),
  });
}

export type Backlog = {
  /** The number of pending deliveries. Counting stops at `countMax`. */
  readonly pendingCount: number;
  readonly oldestPendingAt: Date | undefined;
};

export function healthMessage(health: Health, backlog: Backlog): EndpointHealth {
  const { lastDeliveredAt: delivered, lastFailedAt: failed } = health;
  const { oldestPendingAt: oldest } = backlog;
  return create(EndpointHealthSchema, {
    circuit: enumValue(CircuitState, health.circuit),
    concurrencyLimit: health.concurrency,
    consecutiveFailures: health.consecutiveFailures,
    lastFailure: health.lastFailure,
    pendingCount: BigInt(backlog.pendingCount),
    ...(delivered && { lastDeliveredAt: timestampFromDate(delivered) }),
    ...(failed && { lastFailedAt: timestampFromDate(failed) }),
    ...(oldest && { oldestPendingAt: timestampFromDate(oldest) }),
  });
}
