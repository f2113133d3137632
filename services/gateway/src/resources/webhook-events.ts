import {
  EventRecordSchema,
  ListEventsRequestSchema,
  ListEventsResponseSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type ExactJson, exactValue, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { exampleOfSchema } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { get, type Resource } from "../openapi/route.ts";
import { payoutExample } from "./parts/sandbox-event.ts";
import { payoutWebhook } from "./payouts.ts";
import { optInData, paymentSessionData, refundData } from "./webhooks.ts";

/** The `data` of a webhook's body. Each number keeps its digits. */
const payload: f.Kind<Uint8Array> = {
  schema: {
    description: "The `data` of the webhook's body, with all digits of its numbers.",
    anyOf: [
      ...[payoutWebhook, paymentSessionData, refundData],
      ...Object.values(optInData).map(([data]) => data),
    ].map(f.schemaRef),
    examples: [
      {
        ...payoutExample(
          exampleOfSchema(payoutWebhook.schema, new Map()) as Readonly<Record<string, unknown>>,
          "succeeded",
        ),
        updated_at: "2026-11-20T11:26:01.456Z",
      },
    ],
  },
  write: (body) => {
    const { data } = parseExactJson(new TextDecoder().decode(body)) as { data?: ExactJson };
    return exactValue(f.present(data));
  },
};

const event = f.record(EventRecordSchema, "WebhookEventRecord", "An event as webhooks report it.", {
  id: f.from("eventId", f.text("Its header `webhook-id`.", "evt_01hqz0000000000000000000ab_2")),
  transaction_type: f.oneOf("Type of transaction.", [
    "payout_session",
    "payment_session",
    "refund",
    ...Object.keys(optInData),
  ]),
  transaction_id: f.text("Id of the transaction.", "po_01hqz0000000000000000000ab"),
  status: f.text("The status that it reports.", "succeeded"),
  sequence: f.whole("Orders the events of one transaction, from 1.", 2, { minimum: 1 }),
  data: f.from("body", payload),
  occurred_at: f.moment("When it happened."),
  received_at: f.moment("When it was stored here."),
});

const eventPage = f.record(ListEventsResponseSchema, "WebhookEventPage", "A page of events.", {
  events: f.listOf("In the order of the feed, which never changes.", f.ref(event)),
  next_cursor: f.cursor(
    "`after` of the next request, even if there are no more events now.",
    "bWVyXzEvMg",
  ),
  has_more: f.flag("True if more events are available now.", false),
});

/** All events of a merchant, including events that no endpoint received. */
export const webhookEvents: Resource = {
  scope: "webhook",
  tag: "Webhook events",
  components: [event, eventPage],
  routes: [
    get("listWebhookEvents", "/api/v1/events", {
      summary: "Read the feed of events",
      description:
        "Returns every event of the last 90 days once, regardless of your endpoints. Use it to catch up after an outage, or instead of webhooks. Store the events, then `next_cursor`, and continue from there. Events of one transaction may be out of order: sort them by `sequence`. Opt-in events are included from the time at which an endpoint names their type. Test events are not included.",
      query: q.queryOf(ListEventsRequestSchema, {
        limit: q.limit("Maximum number of events; default 20."),
        after: q.cursor(
          "`next_cursor` of the previous response; empty or left out to start at the oldest event that is kept.",
        ),
      }),
      data: eventPage,
      answer: ({ request }, { notifier }) => notifier.listEvents(request),
    }),
  ],
};
