import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { writeCursor } from "@disburse/chassis/page-cursor.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import { deliveryIdentity } from "./domain/delivery.ts";
import { publishedEventViolations, type WebhookEvent, webhookEventOf } from "./domain/event.ts";
import { operationUsed } from "./domain/refusal.ts";
import { testBody, testStatus, testTransactionType } from "./domain/webhook-body.ts";
import { type EndpointDeps, endpointRpc } from "./endpoint-rpc.ts";
import { publishedEvent } from "./events.ts";
import type { FanOut } from "./fan-out.ts";
import { readFilter, readLimit, readStart } from "./list-request.ts";
import { accepted } from "./refusals.ts";
import type { EventDocument } from "./store/documents.ts";
import type { EventStore } from "./store/event-store.ts";
import { deliveryMessage } from "./wire.ts";

export type NotifierDeps = EndpointDeps & {
  readonly events: EventStore;
  readonly fanOut: FanOut;
  /** Something is due. */
  readonly wake: () => void;
};

/** The RPCs of the notifier; proto/disburse/notifier/v1/notifier.proto tells what each promises. */
export function notifierRpc(deps: NotifierDeps): ServiceImpl<typeof NotifierService> {
  const { endpoints, events, deliveries, fanOut, clock, wake } = deps;

  /** The delivery of a test event, if the event is one and goes to this endpoint. */
  const testDelivery = async (event: EventDocument, endpointId: string) => {
    const { merchant_id: merchantId, event_id: eventId, transaction_type, endpoint_ids } = event;
    const isSame = transaction_type === testTransactionType && endpoint_ids[0] === endpointId;
    if (!isSame) return operationUsed();
    const key = { merchantId, eventId, endpointId, replay: 0 };
    const { id } = deliveryIdentity(key, event.received_at);
    return (await deliveries.find(merchantId, id)) ?? refused("RECORD_NOT_FOUND");
  };

  return {
    ...endpointRpc(deps),

    sendTestEvent: async ({ mutation, merchantId, endpointId }) => {
      const change = readMutation(mutation);
      const { operationId } = change;
      accepted((await endpoints.find(merchantId, endpointId)) ?? refused("RECORD_NOT_FOUND"));
      const test = testEvent(merchantId, endpointId, clock.now());
      const event =
        (await events.findByOperation(merchantId, operationId)) ??
        (await fanOut.publishOne(test, change, endpointId)) ??
        (await events.findByOperation(merchantId, operationId));
      if (event === null) throw new Error("a test event that was just stored is not there");
      await fanOut.deliver([event]);
      return { delivery: deliveryMessage(accepted(await testDelivery(event, endpointId))) };
    },

    listDeliveries: async (message) => {
      const limit = accepted(readLimit(message.limit));
      const start = accepted(readStart(message.cursor));
      const filter = readFilter(message);
      const page = await deliveries.list(message.merchantId, filter, start, limit + 1);
      const shown = page.slice(0, limit);
      const last = page.length > limit ? shown.at(-1) : undefined;
      return {
        deliveries: shown.map((each) => deliveryMessage(each)),
        nextCursor: last === undefined ? "" : writeCursor({ at: last.created_at, id: last._id }),
      };
    },

    getDelivery: async ({ merchantId, deliveryId }) => {
      const found = await deliveries.find(merchantId, deliveryId);
      const delivery = accepted(found ?? refused("RECORD_NOT_FOUND"));
      return { delivery: deliveryMessage(delivery, delivery.attempts) };
    },

    redeliver: async ({ mutation, merchantId, deliveryId }) => {
      const change = readMutation(mutation);
      const found = await deliveries.find(merchantId, deliveryId);
      const source = accepted(found ?? refused("RECORD_NOT_FOUND"));
      const before = await deliveries.findByOperation(merchantId, change.operationId);
      if (before === null) {
        const endpoint = await endpoints.find(merchantId, source.endpoint_id);
        accepted(endpoint ?? refused("RECORD_NOT_FOUND"));
      }
      const made = before ?? (await deliveries.redeliver(source, clock.now(), change));
      const isSame = made.event_id === source.event_id && made.endpoint_id === source.endpoint_id;
      wake();
      return { delivery: deliveryMessage(accepted(isSame ? made : operationUsed())) };
    },

    publishEvent: async ({ mutation, event: message }) => {
      const change = readMutation(mutation);
      const event = publishedEvent(
        accepted(message ?? refused("INVALID_REQUEST", "event: is required")),
      );
      const violations = publishedEventViolations(event);
      if (violations.length > 0) {
        accepted(refused("INVALID_REQUEST", violationsMessage(violations)));
      }
      const stored = await fanOut.publishOne(webhookEventOf(event, clock.now()), change);
      accepted(stored ?? operationUsed());
      return {};
    },
  };
}

/** An event of its own transaction, so that tests wait for nothing and nothing waits for them. */
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
