import { currentOrigin, type Origin, originOf } from "@disburse/chassis/call-context.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary } from "mongodb";
import type { DeliveryOrder } from "../endpoints/rules/endpoint.ts";
import {
  type Attempt,
  type DeliveryState,
  deliveryIdentity,
  orderingKey,
} from "./rules/delivery.ts";
import { orderWaitMs, recheckAt, withoutBound } from "./rules/order.ts";

export const schemaVersion = 1;

export type AttemptDocument = ReturnType<typeof attemptDocument>;

/** Its origin is the request that caused the event or the redelivery. */
export type DeliveryDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  endpoint_id: string;
  event_id: string;
  transaction_type: string;
  transaction_id: string;
  status: string;
  sequence: number;
  replay: number;
  line: string;
  body: Binary;
  jitter: number;
  state: DeliveryState;
  /** Copied from the endpoint at creation; absent on a redelivery. */
  order?: DeliveryOrder;
  /** True while it waits for an earlier event, at most until `due_at`. */
  held: boolean;
  /** Time of the next check of an unbounded wait. */
  recheck_at?: Date;
  attempts_count: number;
  attempts: AttemptDocument[];
  next_attempt_at: Date | null;
  /** Earliest claim: the next attempt's time, or the end of the lease. */
  due_at: Date | null;
  /** Set by the first lease. No attempt starts after it. */
  deadline: Date | null;
  /** Total pauses of the endpoint, in milliseconds, that extend the deadline; absent for 0. */
  paused_ms?: number;
  lease: { token: string; place: string } | null;
  created_at: Date;
  updated_at: Date;
  /** Every attempt got 410, so the endpoint will be paused. */
  gone?: true;
  /** 30 days after the delivery ended. */
  expires_at?: Date;
  operation_id?: string;
  actor?: StoredActor;
  /** Marks a merchant's sandbox test event, which the collection of events doesn't contain. */
  test?: true;
};

type EventFields = Origin &
  Pick<
    DeliveryDocument,
    | "merchant_id"
    | "event_id"
    | "transaction_type"
    | "transaction_id"
    | "status"
    | "sequence"
    | "body"
  >;

type DeliverableEvent = EventFields & { readonly received_at: Date };

const dayMs = 86_400_000;

/** Time for which an ended delivery can be read (webhooks: data). */
export const deliveryKeptMs = 30 * dayMs;
/** Maximum wait for an endpoint's resumption or verification, equal to the retention of events. */
export const waitingMaxMs = 90 * dayMs;

/**
 * Builds an event's first delivery to an endpoint; deterministic. Holds it if an earlier one may
 * exist.
 */
export function firstDelivery(
  event: DeliverableEvent,
  endpointId: string,
  order: DeliveryOrder,
): DeliveryDocument {
  const createdAt = event.received_at;
  const delivery = { ...deliveryDocument(event, endpointId, 0, createdAt), order };
  if (event.sequence === 1 || order === "none") return delivery;
  const bound = new Date(createdAt.getTime() + orderWaitMs);
  return { ...delivery, ...waiting(order === "strict" ? withoutBound : bound, createdAt) };
}

/** Fields of a delivery that is held until the given time. */
export function waiting(until: Date, now: Date) {
  const isBound = until < withoutBound;
  return {
    held: true,
    due_at: until,
    next_attempt_at: isBound ? until : null,
    ...(isBound ? {} : { recheck_at: recheckAt(now, now) }),
  };
}

/** Builds a redelivery of the same event: due at once, outside the order. */
export function redelivery(
  source: DeliveryDocument,
  replay: number,
  now: Date,
  change: Change,
): DeliveryDocument {
  return {
    ...deliveryDocument(source, source.endpoint_id, replay, now),
    ...currentOrigin(),
    operation_id: change.operationId,
    actor: change.actor,
    ...(source.test && { test: source.test, line: source.line }),
  };
}

/** Builds the delivery of a merchant's test event: due at once, with its own ordering key. */
export function testDelivery(
  event: Omit<EventFields, keyof Origin>,
  endpointId: string,
  now: Date,
  change: Change,
): DeliveryDocument {
  return {
    ...deliveryDocument({ ...event, ...currentOrigin() }, endpointId, 0, now),
    operation_id: change.operationId,
    actor: change.actor,
    test: true,
    order: "none",
    // Its transaction may be real, so its deliveries must not affect a test, nor a test them.
    line: orderingKey(endpointId, "test", event.event_id),
  };
}

function deliveryDocument(
  event: EventFields,
  endpointId: string,
  replay: number,
  createdAt: Date,
): DeliveryDocument {
  const key = { merchantId: event.merchant_id, eventId: event.event_id, endpointId, replay };
  const { id, jitter } = deliveryIdentity(key, createdAt);
  return {
    _id: id,
    schema_version: schemaVersion,
    merchant_id: event.merchant_id,
    endpoint_id: endpointId,
    event_id: event.event_id,
    ...originOf(event),
    transaction_type: event.transaction_type,
    transaction_id: event.transaction_id,
    status: event.status,
    sequence: event.sequence,
    replay,
    line: orderingKey(endpointId, event.transaction_type, event.transaction_id),
    body: event.body,
    jitter,
    state: "pending",
    held: false,
    attempts_count: 0,
    attempts: [],
    next_attempt_at: createdAt,
    due_at: createdAt,
    deadline: null,
    lease: null,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** Fields of a delivery that ends without a further attempt. */
export function endedUntried(state: Exclude<DeliveryState, "pending">, now: Date) {
  return {
    state,
    held: false,
    lease: null,
    due_at: null,
    next_attempt_at: null,
    updated_at: now,
    expires_at: new Date(now.getTime() + deliveryKeptMs),
  };
}

export function attemptDocument({ number, startedAt, endedAt, outcome }: Attempt) {
  const isAnswered = outcome.kind === "answered";
  return {
    number,
    started_at: startedAt,
    duration_ms: endedAt.getTime() - startedAt.getTime(),
    status_code: isAnswered ? outcome.statusCode : 0,
    error: isAnswered ? "" : outcome.error,
    response_body: isAnswered ? outcome.body : "",
  };
}
