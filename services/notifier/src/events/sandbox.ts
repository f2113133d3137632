import { setTimeout as pause } from "node:timers/promises";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type NotifierSandboxService,
  type SendSandboxEventRequest,
  SendSandboxEventRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { sendWebhookEvent } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type Refused,
  refused,
  refusedInState,
  violationsMessage,
} from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { Binary } from "mongodb";
import { type DeliveryDocument, testDelivery } from "../deliveries/documents.ts";
import { deliveryMessage } from "../deliveries/rpc.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { orThrow } from "../refusals.ts";
import { fedTypes, publishedEventViolations, webhookEventOf } from "./rules/event.ts";
import { sandboxData } from "./rules/webhook-body.ts";

/** Deadline that ends a delivery. It is so early that no pause can extend it beyond the present. */
const ended = new Date(0);

/** Maximum wait for a delivery's first attempt, or for an attempt in flight. */
const waitMs = 2_000;
const pollEveryMs = 20;

type SandboxDeps = {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Wakes the dispatcher, because a delivery is due. */
  readonly wake: () => void;
};

/** RPCs with which a sandbox merchant sends test events and advances their deliveries. */
export function sandboxWebhooksRpc(deps: SandboxDeps) {
  const { endpoints, deliveries, clock, wake } = deps;
  return {
    retryDeliveryNow: async ({ mutation, ...its }) => {
      readMutation(mutation);
      const delivery = orThrow(await advanceDelivery(deps, its, "attempt"));
      wake();
      return { delivery: deliveryMessage(delivery) };
    },

    lapseDelivery: async ({ mutation, ...its }) => {
      readMutation(mutation);
      const delivery = orThrow(await advanceDelivery(deps, its, "end"));
      wake();
      return { delivery: deliveryMessage(delivery) };
    },

    sendSandboxEvent: async (request) => {
      const change = readMutation(request.mutation);
      const { merchantId, endpointId } = request;
      orThrow((await endpoints.find(merchantId, endpointId)) ?? refused("RECORD_NOT_FOUND"));
      const find = () => deliveries.findByOperation(merchantId, change.operationId);
      let found = await find();
      if (found === null) {
        const now = clock.now();
        await deliveries.insert([
          testDelivery(sandboxEvent(request, now), endpointId, now, change),
        ]);
        found = await find();
      }
      if (found === null) throw new Error("a test delivery is missing right after it was written");
      wake();
      return { delivery: deliveryMessage(found) };
    },
  } satisfies ServiceImpl<typeof NotifierSandboxService>;
}

/** Builds the requested event. Refuses invalid fields. */
function sandboxEvent(request: SendSandboxEventRequest, now: Date) {
  const { unreadable } = request;
  const schema = SendSandboxEventRequestSchema;
  const requested = orThrow(checkedMessage(sendWebhookEvent, schema, request, { now, unreadable }));
  const { merchantId, transactionType } = requested;
  const noExample = refused("INVALID_REQUEST", "example_json: must be a JSON object");
  const { transactionId, status, dataJson } = orThrow(
    sandboxData(requested.exampleJson, requested) ?? noExample,
  );
  const event = {
    merchantId,
    transactionType,
    transactionId,
    status,
    dataJson,
    eventId: newId("event", now),
    sequence: 1n,
    occurredAt: now,
  };
  const violations = publishedEventViolations(event, fedTypes);
  if (violations.length > 0) orThrow(refused("INVALID_REQUEST", violationsMessage(violations)));
  const { eventId, body } = webhookEventOf(event, now);
  return {
    merchant_id: merchantId,
    event_id: eventId,
    sequence: 1,
    status,
    transaction_type: transactionType,
    transaction_id: transactionId,
    body: new Binary(body),
  };
}

function stateOf({ state, lease }: DeliveryDocument): string {
  if (state !== "pending") return state;
  return lease === null ? "pending without an attempt" : "being attempted";
}

/**
 * Makes a pending delivery due now, or ends its 24 hours. One write changes its stored times, and a
 * worker does the rest. The 24 hours begin with the first attempt. So this function waits a short
 * time for the first attempt, or for an attempt in flight.
 */
async function advanceDelivery(
  { deliveries, clock }: { readonly deliveries: DeliveryStore; readonly clock: Clock },
  { merchantId, deliveryId }: { readonly merchantId: string; readonly deliveryId: string },
  to: "attempt" | "end",
): Promise<DeliveryDocument | Refused<"RECORD_NOT_FOUND" | "STATE_NOT_REACHABLE">> {
  const until = performance.now() + waitMs;
  for (;;) {
    const now = clock.now();
    const due = { due_at: now, next_attempt_at: now, held: false, updated_at: now };
    const waiting = { state: "pending", lease: null } as const;
    const isFrom = to === "end" ? { ...waiting, deadline: { $ne: null } } : waiting;
    const advanced = await deliveries.collection.findOneAndUpdate(
      { _id: deliveryId, merchant_id: merchantId, ...isFrom },
      { $set: to === "end" ? { ...due, deadline: ended } : due, $unset: { recheck_at: "" } },
      { returnDocument: "after" },
    );
    if (advanced !== null) return advanced;
    const found = await deliveries.find(merchantId, deliveryId);
    if (found === null) return refused("RECORD_NOT_FOUND");
    const isOver = found.state !== "pending" || performance.now() > until;
    if (isOver) {
      const needed = to === "end" ? "pending after an attempt" : "pending";
      return refusedInState("STATE_NOT_REACHABLE", "delivery", stateOf(found), needed);
    }
    await pause(pollEveryMs);
  }
}
