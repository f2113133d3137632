import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { RequestedChange, StoredContent } from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { Binary } from "mongodb";
import type { WebhookEvent } from "./rules/event.ts";

export const schemaVersion = 1;

/** A stored event and the endpoints that it goes to. One write stores both. */
export type EventDocument = Origin &
  Partial<StoredOperation> & {
    _id: string;
    schema_version: number;
    merchant_id: string;
    event_id: string;
    transaction_type: string;
    transaction_id: string;
    status: string;
    sequence: number;
    body: Binary;
    endpoint_ids: string[];
    /** Position in the merchant's feed. Absent until a reader of the feed reaches the event. */
    position?: number;
    occurred_at: Date;
    received_at: Date;
    expires_at: Date;
  };

/**
 * Set for an event that an operation created, such as a test event. Events from the broker don't
 * have these fields.
 */
type StoredOperation = StoredContent & { operation_id: string; actor: StoredActor };

/**
 * Retention of events. It exceeds the duration of any delivery, so a late duplicate of an event is
 * recognised.
 */
export const eventKeptMs = 90 * 86_400_000;

/**
 * Returns the key of a stored event. The key includes the merchant, because two merchants can have
 * events with the same id.
 */
export function eventKey(merchantId: string, eventId: string): string {
  return `${merchantId}/${eventId}`;
}

export function eventDocument(
  event: WebhookEvent,
  endpointIds: readonly string[],
  receivedAt: Date,
  change?: RequestedChange,
): EventDocument {
  return {
    _id: eventKey(event.merchantId, event.eventId),
    schema_version: schemaVersion,
    merchant_id: event.merchantId,
    event_id: event.eventId,
    transaction_type: event.transactionType,
    transaction_id: event.transactionId,
    status: event.status,
    sequence: event.sequence,
    body: new Binary(event.body),
    endpoint_ids: [...endpointIds],
    ...(event.origin?.request_id === undefined ? currentOrigin() : event.origin),
    occurred_at: event.occurredAt,
    received_at: receivedAt,
    expires_at: new Date(receivedAt.getTime() + eventKeptMs),
    ...(change === undefined ? {} : operationFields(change)),
  };
}

function operationFields({ operationId, content, actor }: RequestedChange): StoredOperation {
  return { operation_id: operationId, operation_content: content, actor };
}
