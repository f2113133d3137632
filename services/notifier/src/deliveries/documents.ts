import { callContext } from "@disburse/chassis/call-context.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary } from "mongodb";
import type { DeliveryOrder } from "../endpoints/rules/endpoint.ts";
import type { Outcome } from "../sender/rules/outcome.ts";
import {
  type Attempt,
  type DeliveryState,
  deliveryIdentity,
  orderingKey,
} from "./rules/delivery.ts";
import { orderWaitMs, recheckAt, withoutBound } from "./rules/order.ts";

export const schemaVersion = 1;

export type AttemptDocument = {
  number: number;
  started_at: Date;
  duration_ms: number;
  status_code: number;
  error: string;
  response_body: string;
};

export type DeliveryDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  endpoint_id: string;
  event_id: string;
  /** The event's, or a redelivery's own. */
  request_id?: string;
  transaction_type: string;
  transaction_id: string;
  status: string;
  sequence: number;
  replay: number;
  line: string;
  body: Binary;
  jitter: number;
  state: DeliveryState;
  /** The endpoint's when the delivery was made; absent for bounded. */
  order?: DeliveryOrder;
  /** Waits for an event before it; `due_at` is when it waits no longer. */
  held: boolean;
  /** When to look again whether it still has to wait; of those that wait without bound. */
  recheck_at?: Date;
  attempts_count: number;
  attempts: AttemptDocument[];
  next_attempt_at: Date | null;
  /** When a worker may take it: the next attempt, or the end of the lease of who has it. */
  due_at: Date | null;
  /** Set by the first lease; no attempt starts from then on. */
  deadline: Date | null;
  lease: { token: string; place: string } | null;
  created_at: Date;
  updated_at: Date;
  /** 30 days after the end. */
  expires_at?: Date;
  operation_id?: string;
  actor?: StoredActor;
};

/** What a delivery takes over from its event. */
type Told = Pick<
  DeliveryDocument,
  | "request_id"
  | "merchant_id"
  | "event_id"
  | "transaction_type"
  | "transaction_id"
  | "status"
  | "sequence"
  | "body"
>;

/** An event as its first deliveries need it. */
export type DeliverableEvent = Told & { readonly received_at: Date };

const dayMs = 86_400_000;

/** How long a delivery can be read after its end (webhooks: data). */
export const deliveryKeptMs = 30 * dayMs;
/** How long a delivery may wait for its first attempt: its endpoint may never be told to go on. */
export const untriedMs = 30 * dayMs;
/**
 * The first delivery of an event to an endpoint; the same one however often it is made. One that
 * may have to wait for another is made waiting.
 */
export function firstDelivery(
  event: DeliverableEvent,
  endpointId: string,
  order: DeliveryOrder,
): DeliveryDocument {
  const createdAt = event.received_at;
  const placing = { endpointId, replay: 0, createdAt, dueAt: createdAt, held: false };
  const delivery = { ...deliveryDocument(event, placing), order };
  if (event.sequence === 1 || order === "none") return delivery;
  return {
    ...delivery,
    ...waiting(order === "strict" ? withoutBound : boundOf(createdAt), createdAt),
  };
}

function boundOf(createdAt: Date): Date {
  return new Date(createdAt.getTime() + orderWaitMs);
}

/** What stands in a delivery that waits for one before it. */
export function waiting(until: Date, now: Date) {
  const isBound = until < withoutBound;
  return {
    held: true,
    due_at: until,
    next_attempt_at: isBound ? until : null,
    ...(isBound ? {} : { recheck_at: recheckAt(now, now) }),
  };
}

/** A delivery of the same event once more: due at once, in nobody's line. */
export function redelivery(
  source: DeliveryDocument,
  replay: number,
  now: Date,
  change: Change,
): DeliveryDocument {
  const { endpoint_id: endpointId } = source;
  return {
    ...deliveryDocument(source, { endpointId, replay, createdAt: now, dueAt: now, held: false }),
    ...requestIdField(callContext()?.requestId),
    operation_id: change.operationId,
    actor: change.actor,
  };
}

/** The request in whose name something is stored, where there is one. */
export function requestIdField(requestId: string | undefined) {
  return requestId === undefined ? {} : { request_id: requestId };
}

type Placing = {
  readonly endpointId: string;
  readonly replay: number;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly held: boolean;
};

function deliveryDocument(told: Told, placing: Placing): DeliveryDocument {
  const { endpointId, replay, createdAt, dueAt, held } = placing;
  const key = { merchantId: told.merchant_id, eventId: told.event_id, endpointId, replay };
  const { id, jitter } = deliveryIdentity(key, createdAt);
  return {
    _id: id,
    schema_version: schemaVersion,
    merchant_id: told.merchant_id,
    endpoint_id: endpointId,
    event_id: told.event_id,
    ...requestIdField(told.request_id),
    transaction_type: told.transaction_type,
    transaction_id: told.transaction_id,
    status: told.status,
    sequence: told.sequence,
    replay,
    line: orderingKey(endpointId, told.transaction_type, told.transaction_id),
    body: told.body,
    jitter,
    state: "pending",
    held,
    attempts_count: 0,
    attempts: [],
    next_attempt_at: dueAt,
    due_at: dueAt,
    deadline: null,
    lease: null,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** What stands in a delivery that ended without a further attempt. */
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

/** A line of the attempt log. */
export function attemptDocument({ number, startedAt, endedAt, outcome }: Attempt): AttemptDocument {
  return {
    number,
    started_at: startedAt,
    duration_ms: endedAt.getTime() - startedAt.getTime(),
    ...answerOf(outcome),
  };
}

function answerOf(outcome: Outcome) {
  return outcome.kind === "answered"
    ? { status_code: outcome.statusCode, error: "", response_body: outcome.body }
    : { status_code: 0, error: outcome.error, response_body: "" };
}
