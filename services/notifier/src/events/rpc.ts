import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import type { ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import type { AuditStore } from "@disburse/chassis/audit/store.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import { readChange } from "@disburse/chassis/mutations/content.ts";
import { readLimit } from "@disburse/chassis/paging/page.ts";
import {
  type EventRecord,
  EventRecordSchema,
  NotifierService,
  PublishEventRequestSchema,
  SendTestEventRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  otherContent,
  type Refused,
  refused,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { deliveryMessage } from "../deliveries/rpc.ts";
import { deliveryIdentity } from "../deliveries/rules/delivery.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { orThrow } from "../refusals.ts";
import type { EventDocument } from "./documents.ts";
import type { FanOut } from "./fan-out.ts";
import {
  type FedEvent,
  type FeedStore,
  foreignCursor,
  readFeedCursor,
  writeFeedCursor,
} from "./feed-store.ts";
import { publishedEvent } from "./intake.ts";
import {
  type PublishedEvent,
  publishedEventViolations,
  type WebhookEvent,
  webhookEventOf,
} from "./rules/event.ts";
import { testBody, testStatus, testTransactionType } from "./rules/webhook-body.ts";
import type { EventStore } from "./store.ts";
import { conflictProblem, type TransactionTypes } from "./transaction-types.ts";

type EventRpc = ReturnType<typeof eventRpc>;

/**
 * An operator needs a second person's approval to send a webhook, because webhooks report movements
 * of money. Other systems publish events through a service and need no approval.
 */
const eventGuards: Guards<Pick<EventRpc, "publishEvent">> = {
  publishEvent: {
    approvers: ["admin"],
    difference: async ({ event }) => ({
      before: "",
      after: JSON.stringify({
        merchant_id: event?.merchantId,
        transaction_type: event?.transactionType,
        transaction_id: event?.transactionId,
        status: event?.status,
        data_json: event?.dataJson,
      }),
    }),
    // A malformed request needs no approval, because the RPC rejects it.
    reasons: async ({ event }) =>
      event === undefined || publishedEventViolations(publishedEvent(event)).length > 0
        ? []
        : ["the request publishes a merchant's event that no service vouches for"],
  },
};

type PublishingAudit = Pick<AuditStore<"event.published">, "append">;

export type EventDeps = {
  readonly endpoints: EndpointStore;
  readonly events: EventStore;
  readonly feeds: FeedStore;
  readonly deliveries: DeliveryStore;
  readonly fanOut: FanOut;
  readonly types: TransactionTypes;
  readonly audit: PublishingAudit;
  readonly clock: Clock;
};

export function eventRpc(deps: EventDeps) {
  const { endpoints, events, feeds, deliveries, fanOut, types, clock } = deps;

  /** Returns the delivery of a test event. Returns `undefined` for any other event or endpoint. */
  const testDelivery = async (event: EventDocument, endpointId: string) => {
    const { merchant_id: merchantId, event_id: eventId, transaction_type, endpoint_ids } = event;
    const isSame = transaction_type === testTransactionType && endpoint_ids[0] === endpointId;
    if (!isSame) return otherContent;
    const key = { merchantId, eventId, endpointId, replay: 0 };
    const { id } = deliveryIdentity(key, event.received_at);
    return (await deliveries.find(merchantId, id)) ?? refused("RECORD_NOT_FOUND");
  };

  return {
    publishEvent: async (request) => {
      const change = readChange(PublishEventRequestSchema, request);
      const message = orThrow(request.event ?? refused("INVALID_REQUEST", "event: is required"));
      const event = publishedEvent(message);
      const violations = publishedEventViolations(event);
      if (violations.length > 0) {
        orThrow(refused("INVALID_REQUEST", violationsMessage(violations)));
      }
      const webhookEvent = webhookEventOf(event, clock.now());
      if ((await types.conflicts([webhookEvent])).has(webhookEvent)) {
        orThrow(refused("INVALID_REQUEST", conflictProblem));
      }
      await notePublished(deps, event, change.operationId);
      const stored = await fanOut.publishOne(webhookEvent, change);
      orThrow(stored ?? otherContent);
      return {};
    },

    sendTestEvent: async (request) => {
      const { merchantId, endpointId } = request;
      const change = readChange(SendTestEventRequestSchema, request);
      const { operationId } = change;
      orThrow((await endpoints.find(merchantId, endpointId)) ?? refused("RECORD_NOT_FOUND"));
      const test = testEvent(merchantId, endpointId, clock.now());
      const event =
        (await events.findByOperation(merchantId, operationId)) ??
        (await fanOut.publishOne(test, change, [endpointId])) ??
        (await events.findByOperation(merchantId, operationId));
      if (event === null) throw new Error("a test event is missing right after it was written");
      await fanOut.deliver([event]);
      return { delivery: deliveryMessage(orThrow(await testDelivery(event, endpointId))) };
    },

    listEvents: async ({ merchantId, limit: wanted, after: cursor, atEnd }) => {
      if (atEnd) {
        const end = (await feeds.next(merchantId)) - 1;
        return { nextCursor: writeFeedCursor(merchantId, end) };
      }
      const limit = orThrow(readLimit(wanted));
      const after = orThrow(readFeedCursor(merchantId, cursor));
      const page = orThrow(await readFeed(feeds, { merchantId, after, limit }));
      const nextCursor = writeFeedCursor(merchantId, page.events.at(-1)?.position ?? after);
      return { events: page.events.map(eventMessage), nextCursor, hasMore: page.hasMore };
    },
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/**
 * Writes an audit entry for an operator's event before the event is stored. A repeat adds no second
 * entry.
 */
async function notePublished(
  { audit, clock }: Pick<EventDeps, "audit" | "clock">,
  event: PublishedEvent,
  operation: string,
): Promise<void> {
  const principal = callContext()?.principal;
  if (principal?.kind !== "person") return;
  const { merchantId, transactionType, transactionId, status } = event;
  const detail = {
    merchant_id: merchantId,
    transaction_type: transactionType,
    transaction_id: transactionId,
    status,
  };
  await audit.append({
    action: "event.published",
    person: principal.id,
    subject: transactionId,
    operation,
    detail: JSON.stringify(detail),
    at: clock.now(),
  });
}

/**
 * Builds a test event. Each has its own transaction, so test events and other events never wait for
 * each other.
 */
function testEvent(merchantId: string, endpointId: string, now: Date): WebhookEvent {
  const eventId = newId("event", now);
  return {
    eventId,
    merchantId,
    transactionType: testTransactionType,
    transactionId: eventId,
    status: testStatus,
    sequence: 1,
    body: testBody({ eventId, merchantId, endpointId, createdAt: now }),
    occurredAt: now,
  };
}

function eventMessage(event: FedEvent): EventRecord {
  return create(EventRecordSchema, {
    eventId: event.event_id,
    transactionType: event.transaction_type,
    transactionId: event.transaction_id,
    status: event.status,
    sequence: BigInt(event.sequence),
    body: event.body.value(),
    occurredAt: timestampFromDate(event.occurred_at),
    receivedAt: timestampFromDate(event.received_at),
  });
}

type FeedRange = { readonly merchantId: string; readonly after: number; readonly limit: number };
type FeedPage = { readonly events: readonly FedEvent[]; readonly hasMore: boolean };

/**
 * Maximum bytes of a page, whose bodies have up to 60 KiB each. A page contains at least one event
 * even if that exceeds the limit.
 */
const pageBytesMax = 1_024 * 1_024;

/**
 * Maximum tries to assign positions. A try fails if another reader has assigned positions first.
 */
const triesMax = 20;

/**
 * Returns the events after a position; 0 is the start of the feed. If the end is reached, assigns
 * positions to the next events.
 */
export async function readFeed(
  feeds: FeedStore,
  { merchantId, after, limit }: FeedRange,
): Promise<FeedPage | Refused<"INVALID_REQUEST">> {
  for (let tries = 0; ; tries += 1) {
    const next = await feeds.next(merchantId);
    if (after >= next) return foreignCursor();
    const found = await feeds.page(merchantId, after, next, limit + 1);
    if (found.length > limit) return cut(found, limit);
    const waiting = await feeds.waiting(merchantId, limit + 1 - found.length);
    if (waiting.length === 0) return cut(found, limit);
    // If no more events exist, the next page is empty.
    if (tries === triesMax) return { events: found, hasMore: true };
    await feeds.assign(merchantId, next, waiting);
  }
}

/** Cuts a page at its maximum number and size. */
function cut(found: readonly FedEvent[], limit: number): FeedPage {
  let bytes = 0;
  const large = found.findIndex((event, at) => {
    bytes += event.body.length();
    return at > 0 && bytes > pageBytesMax;
  });
  const events = found.slice(0, Math.min(limit, large === -1 ? found.length : large));
  return { events, hasMore: events.length < found.length };
}

/** Adds guards that require approval, if operators use the service. */
export function guardedEvents(deps: EventDeps, approvals?: Pick<ServiceApprovals, "guard">) {
  const rpc = eventRpc(deps);
  return approvals?.guard(NotifierService, rpc, eventGuards) ?? rpc;
}
