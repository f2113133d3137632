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

/** Version of the documents of deliveries. */
export const schemaVersion = 1;

/** A line of a delivery's attempt log. */
export type AttemptDocument = ReturnType<typeof attemptDocument>;

/** A delivery as it is stored; it goes back to what caused its event, or its redelivery. */
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
  /** The endpoint's when the delivery was made; absent of a redelivery. */
  order?: DeliveryOrder;
  /** Waits for an event before it, at most until `due_at`. */
  held: boolean;
  /** When to check again whether it must wait; set where it waits without bound. */
  recheck_at?: Date;
  attempts_count: number;
  attempts: AttemptDocument[];
  next_attempt_at: Date | null;
  /** When it may be claimed: the next attempt, or the end of its lease. */
  due_at: Date | null;
  /** Set by the first lease; no attempt starts from then on. */
  deadline: Date | null;
  /** Its endpoint's pauses in all, in milliseconds, that the deadline allows for; absent for 0. */
  paused_ms?: number;
  lease: { token: string; place: string } | null;
  created_at: Date;
  updated_at: Date;
  /** It ended with nothing but 410, and its endpoint is to be paused. */
  gone?: true;
  /** 30 days after the end. */
  expires_at?: Date;
  operation_id?: string;
  actor?: StoredActor;
  /** Of an event that its merchant made up in a sandbox; the collection of events has none. */
  test?: true;
};

/** The fields that a delivery copies from its event. */
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

/** An event as its first deliveries need it. */
type DeliverableEvent = EventFields & { readonly received_at: Date };

const dayMs = 86_400_000;

/** How long a delivery can be read after its end (webhooks: data). */
export const deliveryKeptMs = 30 * dayMs;
/** How long a delivery waits for an endpoint's resumption or verification: as events are kept. */
export const waitingMaxMs = 90 * dayMs;

/** An event's first delivery to an endpoint, always the same; held if one may come before it. */
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

/** The fields of a delivery that is held until then. */
export function waiting(until: Date, now: Date) {
  const isBound = until < withoutBound;
  return {
    held: true,
    due_at: until,
    next_attempt_at: isBound ? until : null,
    ...(isBound ? {} : { recheck_at: recheckAt(now, now) }),
  };
}

/** A redelivery of the same event: due at once, outside the order. */
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

/** The delivery of an event that a merchant made up: due at once, in a line of its own. */
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
    // The transaction may be there: its events neither wait for a test nor hold it.
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

/** The fields of a delivery that ends without a further attempt. */
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

/** An attempt to be stored. */
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
