import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { RequestedChange, StoredContent } from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { Binary } from "mongodb";
import type { WebhookEvent } from "./rules/event.ts";

/** Version of the documents of events. */
export const schemaVersion = 1;

/** An event as it arrived, with the endpoints that it goes to: stored in one write. */
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
    /** Its position in the merchant's feed; absent until a reader reaches it. */
    position?: number;
    occurred_at: Date;
    received_at: Date;
    expires_at: Date;
  };

/** Of an event that an operation made, such as a test; the broker's have none. */
type StoredOperation = StoredContent & { operation_id: string; actor: StoredActor };

/** Longer than any of its deliveries, so that a late duplicate is recognised. */
export const eventKeptMs = 90 * 86_400_000;

/** An event's key in the store; publishers number their events per merchant. */
export function eventKey(merchantId: string, eventId: string): string {
  return `${merchantId}/${eventId}`;
}

/** An event that goes to these endpoints. */
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
