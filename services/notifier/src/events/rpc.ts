import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { deliveryIdentity } from "../deliveries/rules/delivery.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import { deliveryMessage } from "../deliveries/wire.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { operationUsed, orThrow } from "../refusals.ts";
import type { EventDocument } from "./documents.ts";
import type { FanOut } from "./fan-out.ts";
import { publishedEvent } from "./intake.ts";
import { publishedEventViolations, type WebhookEvent, webhookEventOf } from "./rules/event.ts";
import { testBody, testStatus, testTransactionType } from "./rules/webhook-body.ts";
import type { EventStore } from "./store.ts";

export type EventDeps = {
  readonly endpoints: EndpointStore;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly fanOut: FanOut;
  readonly clock: Clock;
};

/** The RPCs that make events: other systems' and trials. */
export function eventRpc(
  deps: EventDeps,
): Pick<ServiceImpl<typeof NotifierService>, "publishEvent" | "sendTestEvent"> {
  const { endpoints, events, deliveries, fanOut, clock } = deps;

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
    publishEvent: async ({ mutation, event: message }) => {
      const change = readMutation(mutation);
      const asked = orThrow(message ?? refused("INVALID_REQUEST", "event: is required"));
      const event = publishedEvent(asked);
      const violations = publishedEventViolations(event);
      if (violations.length > 0) {
        orThrow(refused("INVALID_REQUEST", violationsMessage(violations)));
      }
      const stored = await fanOut.publishOne(webhookEventOf(event, clock.now()), change);
      orThrow(stored ?? operationUsed());
      return {};
    },

    sendTestEvent: async ({ mutation, merchantId, endpointId }) => {
      const change = readMutation(mutation);
      const { operationId } = change;
      orThrow((await endpoints.find(merchantId, endpointId)) ?? refused("RECORD_NOT_FOUND"));
      const test = testEvent(merchantId, endpointId, clock.now());
      const event =
        (await events.findByOperation(merchantId, operationId)) ??
        (await fanOut.publishOne(test, change, endpointId)) ??
        (await events.findByOperation(merchantId, operationId));
      if (event === null) throw new Error("a test event that was just stored is not there");
      await fanOut.deliver([event]);
      return { delivery: deliveryMessage(orThrow(await testDelivery(event, endpointId))) };
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
