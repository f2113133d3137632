import {
  DeliveryAttemptSchema,
  DeliveryRequestSchema,
  DeliverySchema,
  DeliveryState,
  ListDeliveriesRequestSchema,
  ListDeliveriesResponseSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get, post, type Resource } from "../openapi/route.ts";
import { endpointNameProblem } from "./rules/endpoint-name.ts";
import { activityComponents, getWebhookActivity } from "./webhook-activity.ts";

const described = f.fields(DeliverySchema, {
  id: f.id("whd", "Delivery id."),
  endpoint_id: f.id("whe", "Webhook endpoint that it is sent to."),
  event_id: f.text("The event's id: the header `webhook-id` of every attempt.", "evt_…"),
  transaction_type: f.text("Type of transaction.", "payout_session"),
  transaction_id: f.text("Id of the transaction.", "po_01hqz0000000000000000000ab"),
  status: f.text("The status that the event reports.", "succeeded"),
  sequence: f.whole("Orders the events of one transaction, from 1.", 2, { minimum: 1 }),
  state: f.word(
    DeliveryState,
    "`exhausted`: 24 hours went by without a 200. `cancelled`: its endpoint was deleted.",
  ),
  attempts_count: f.whole("Attempts so far.", 1),
  replay: f.whole("0 for the original delivery, otherwise the number of the redelivery.", 0),
  test: f.flag("True if you created its event in the sandbox.", false),
  next_attempt_at: f.momentOrNone("Time of the next attempt; empty if there is none."),
  ...f.recordTimes,
});

/** The delivery of one event to one endpoint (decisions §7). */
export const delivery = f.component(
  "WebhookDelivery",
  "One event on its way to one endpoint.",
  described,
);

const attempt = f.record(DeliveryAttemptSchema, "WebhookAttempt", "One attempt at a delivery.", {
  number: f.whole("From 1.", 1, { minimum: 1 }),
  started_at: f.moment("When it began."),
  duration_ms: f.whole("Duration in milliseconds.", 42),
  status_code: f.whole("HTTP status of the response; 0 if there was none.", 200),
  error: f.text("Why there was no response; empty if there was one.", ""),
  response_body: f.text("Body of the response, at most its first 1 KiB.", "ok"),
});

const sentRequest = f.record(
  DeliveryRequestSchema,
  "WebhookDeliveryRequest",
  "The HTTP request of the latest attempt, signed for its time by the endpoint's present secrets.",
  {
    url: f.text("URL of the endpoint.", "https://example.com/webhooks"),
    headers: f.pairs("Headers by name. Values of your own headers are masked.", {
      "webhook-id": "evt_01hqz0000000000000000000ab",
    }),
    body: f.text("The body, byte for byte as it is signed.", "{}"),
  },
);

const deliveryWithAttempts = f.component(
  "WebhookDeliveryWithAttempts",
  "A delivery with its last 20 attempts, oldest first, and the latest request.",
  {
    ...described,
    ...f.fields(DeliverySchema, {
      attempts: f.listOf("Oldest first.", f.ref(attempt)),
      request: f.optional(f.ref(sentRequest)),
    }),
  },
);

const deliveryPage = f.pageOf(
  ListDeliveriesResponseSchema,
  "WebhookDeliveryPage",
  "deliveries",
  delivery,
);

const listQuery = q.queryOf(ListDeliveriesRequestSchema, {
  ...q.page,
  endpoint_id: q.id(
    "endpoint",
    "Only deliveries to this endpoint; `endpoint` is an alias of this parameter.",
  ),
  endpoint: q.id("endpoint", "", "endpointId"),
  transaction_id: q.token("Only deliveries of this transaction's events."),
  state: q.word(DeliveryState, "Only deliveries in this state."),
});

const path = "/api/v1/webhooks/deliveries";

export const webhookDeliveries: Resource = {
  scope: "webhook",
  tag: "Webhook deliveries",
  components: [
    ...[delivery, attempt, sentRequest, deliveryWithAttempts, deliveryPage],
    ...activityComponents,
  ],
  routes: [
    get("listWebhookDeliveries", path, {
      summary: "List webhook deliveries",
      description: "The webhook deliveries to your endpoints, newest first.",
      query: listQuery,
      data: deliveryPage,
      answer: async ({ request, query }, { notifier }) =>
        endpointNameProblem(query) ?? notifier.listDeliveries(request),
    }),
    get("getWebhookDelivery", `${path}/:deliveryId`, {
      summary: "Get webhook delivery",
      description: "One delivery with its attempts and the latest request.",
      data: deliveryWithAttempts,
      answer: async ({ request }, { notifier }) => (await notifier.getDelivery(request)).delivery,
    }),
    post("redeliverWebhook", `${path}/:deliveryId/redeliver`, {
      summary: "Redeliver a webhook",
      description:
        "Sends the event once more, from the start of the schedule: a new delivery with the same `webhook-id`. A `pending` delivery gets no second one: its next attempt is brought forward instead. Nothing changes while an attempt is running, or while the delivery waits for an earlier event of its transaction.",
      data: delivery,
      answer: async ({ change }, { notifier }) => (await notifier.redeliver(change)).delivery,
    }),
    getWebhookActivity,
  ],
};
