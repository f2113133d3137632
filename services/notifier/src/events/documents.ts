import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { RequestedChange, StoredContent } from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { Binary } from "mongodb";
import type { WebhookEvent } from "./rules/event.ts";

export const schemaVersion = 1;

/** An event with the endpoints that it goes to, stored in one write. */
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
    /** Position in the merchant's feed; absent until a reader reaches the event. */
    position?: number;
    occurred_at: Date;
    received_at: Date;
    expires_at: Date;
  };

/** Set on an operation's event, such as a test. Events from the broker have none. */
type StoredOperation = StoredContent & { operation_id: string; actor: StoredActor };

/** Longer than any delivery of the event, so that late duplicates are recognised. */
export const eventKeptMs = 90 * 86_400_000;

/**
 * Returns an event's key in the store. Includes the merchant, because event ids are unique only per
 * merchant.
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
