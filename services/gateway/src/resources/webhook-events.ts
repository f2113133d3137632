import {
  EventRecordSchema,
  ListEventsRequestSchema,
  ListEventsResponseSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type ExactJson, exactValue, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { exampleOfSchema } from "../openapi/example.ts";
import * as f from "../openapi/fields.ts";
import { get, type Resource } from "../openapi/operation.ts";
import * as q from "../openapi/query.ts";
import { payoutWebhook } from "./payouts.ts";
import { paymentSessionData, refundData } from "./webhooks.ts";

/** `data` of a webhook's body, each number with the digits that it has there. */
const payload: f.Kind<Uint8Array> = {
  schema: {
    description: "`data` of the webhook's body, with the same digits.",
    anyOf: [payoutWebhook, paymentSessionData, refundData].map(f.schemaRef),
    examples: [
      {
        ...(exampleOfSchema(payoutWebhook.schema, new Map()) as object),
        status: "succeeded",
        unique_transaction_reference: "0xabc",
        updated_at: "2026-11-20T11:26:01.456Z",
      },
    ],
  },
  write: (body) => {
    const { data } = parseExactJson(new TextDecoder().decode(body)) as { data?: ExactJson };
    return exactValue(f.present(data));
  },
};

const event = f.record(EventRecordSchema, "WebhookEventRecord", "An event, as webhooks tell it.", {
  id: f.from(
    "eventId",
    f.text("The header `webhook-id` of its webhooks.", "evt_01hqz0000000000000000000ab_2"),
  ),
  transaction_type: f.oneOf("What it is of.", ["payout_session", "payment_session", "refund"]),
  transaction_id: f.text("Id of what it is of.", "po_01hqz0000000000000000000ab"),
  status: f.text("The status that it tells.", "succeeded"),
  sequence: f.whole("Orders the events of one transaction, from 1.", 2, { minimum: 1 }),
  data: f.from("body", payload),
  occurred_at: f.moment("When it happened."),
  received_at: f.moment("When it was stored here."),
});

const eventPage = f.record(
  ListEventsResponseSchema,
  "WebhookEventPage",
  "The next events of the feed.",
  {
    events: f.listOf("In the order of the feed, which never changes.", f.ref(event)),
    next_cursor: f.text(
      "`after` of the next request, also where there is nothing more now.",
      "bWVyXzEvMg",
    ),
    has_more: f.flag("There are more already: ask again at once.", false),
  },
);

/** Every event of a merchant, whether it was sent or not. */
export const webhookEvents: Resource = {
  scope: "webhook",
  tag: "Webhook events",
  components: [event, eventPage],
  operations: [
    get("listWebhookEvents", "/api/v1/events", {
      summary: "Read the feed of events",
      description:
        "Every event of the last 90 days once, whatever endpoints you have: to catch up after you were away, or instead of webhooks. Keep `next_cursor` when you have stored the events, and go on there. Events of one transaction may stand out of their order: `sequence` tells it. Test events are not in it.",
      query: q.queryOf(ListEventsRequestSchema, {
        limit: q.limit("At most so many events; 20 when left out."),
        after: q.token(
          "`next_cursor` of the answer before; from the oldest event that is kept when left out.",
        ),
      }),
      data: eventPage,
      answer: ({ request }, { notifier }) => notifier.listEvents(request),
    }),
  ],
};
