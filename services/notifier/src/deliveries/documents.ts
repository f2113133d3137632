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

/** A stored delivery. Its origin is the request that caused the event or the redelivery. */
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
  /** Copied from the endpoint when the delivery is created. Absent for a redelivery. */
  order?: DeliveryOrder;
  /**
   * True while the delivery waits for an earlier event. The wait ends at `due_at` at the latest.
   */
  held: boolean;
  /** Time of the next check, if the wait has no time limit. */
  recheck_at?: Date;
  attempts_count: number;
  attempts: AttemptDocument[];
  next_attempt_at: Date | null;
  /**
   * The earliest time at which the delivery can be claimed. This is the time of the next attempt,
   * or the end of the lease.
   */
  due_at: Date | null;
  /** Set by the first lease. No attempt starts after this time. */
  deadline: Date | null;
  /**
   * Total duration of the endpoint's pauses in milliseconds. Pauses extend the deadline. Absent if
   * 0.
   */
  paused_ms?: number;
  lease: { token: string; place: string } | null;
  created_at: Date;
  updated_at: Date;
  /** Set if every attempt got status 410. The endpoint will be paused. */
  gone?: true;
  /** 30 days after the end of the delivery. */
  expires_at?: Date;
  /** Operations that brought the next attempt forward, the last 100. */
  forwarded_by?: string[];
  /** Number of attempts that were brought forward. They don't count in the schedule. */
  forwarded_count?: number;
  operation_id?: string;
  actor?: StoredActor;
  /**
   * Set for a merchant's test event in the sandbox. The collection of events doesn't contain such
   * events.
   */
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

/** An ended delivery can be read for this time (webhooks: data). */
export const deliveryKeptMs = 30 * dayMs;
/**
 * Maximum time that a delivery waits for its endpoint to be resumed or verified. Equals the
 * retention of events.
 */
export const waitingMaxMs = 90 * dayMs;

/**
 * Builds the first delivery of an event to an endpoint. The same input gives the same delivery. The
 * delivery is held if an earlier one may exist.
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

/** Builds a redelivery of an event. It is due at once and doesn't wait for other events. */
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

/**
 * Builds the delivery of a merchant's test event. It is due at once and has its own ordering key.
 */
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
    // The test event may have the id of a real transaction. With its own ordering key, the test and
    // the real deliveries don't wait for each other.
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

/** Returns the event of a delivery as it is signed and sent. */
export function signable(delivery: DeliveryDocument) {
  return {
    eventId: delivery.event_id,
    transactionId: delivery.transaction_id,
    status: delivery.status,
    sequence: delivery.sequence,
    body: delivery.body.value(),
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
