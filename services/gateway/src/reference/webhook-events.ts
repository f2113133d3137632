import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { limitParameter, parameter, tokenParameter } from "../domain/list-query.ts";
import type { Endpoint } from "./endpoint.ts";
import { component, flag, listOf, moment, ref, text, whole, word } from "./schema.ts";
import { paymentSessionData, payoutData, refundData } from "./webhooks.ts";

const example = {
  ...{ id: "po_01hqz0000000000000000000ab", reference_id: "order-1001", status: "succeeded" },
  ...{ merchant_id: "mer_01hqz0000000000000000000ab", quote_id: "qt_01hqz0000000000000000000ab" },
  ...{ corridor_id: "cor_01hqz0000000000000000000ab", source_currency_code: "USD" },
  ...{ destination_currency_code: "USDC_ETH", beneficiary_id: "ben_01hqz0000000000000000000ab" },
  ...{ source_amount: exactNumber("250.00"), receiving_amount: exactNumber("248.200350") },
  ...{ exchange_rate: exactNumber("0.9998"), total_fees: exactNumber("1.75") },
  ...{ fixed_cost_currency: "USD", unique_transaction_reference: "0xabc" },
  ...{ created_at: "2026-11-20T11:26:00.123Z", updated_at: "2026-11-20T11:26:01.456Z" },
};

const event = component("WebhookEventRecord", "An event, as webhooks tell it.", {
  id: text("The header `webhook-id` of its webhooks.", "evt_01hqz0000000000000000000ab_2"),
  transaction_type: word("What it is of.", ["payout_session", "payment_session", "refund"]),
  transaction_id: text("Id of what it is of.", "po_01hqz0000000000000000000ab"),
  status: text("The status that it tells.", "succeeded"),
  sequence: whole("Orders the events of one transaction, from 1.", 2, { minimum: 1 }),
  data: {
    description: "`data` of the webhook's body, with the same digits.",
    anyOf: [ref(payoutData), ref(paymentSessionData), ref(refundData)],
    examples: [example],
  },
  occurred_at: moment("When it happened."),
  received_at: moment("When it was stored here."),
});

const eventPage = component("WebhookEventPage", "The next events of the feed.", {
  events: listOf("In the order of the feed, which never changes.", ref(event)),
  next_cursor: text(
    "`after` of the next request, also where there is nothing more now.",
    "bWVyXzEvMg",
  ),
  has_more: flag("There are more already: ask again at once.", false),
});

/** What the feed takes in its query. */
export const listEventsQuery = {
  limit: parameter(limitParameter, "At most so many events; 20 when left out."),
  after: parameter(
    tokenParameter,
    "`next_cursor` of the answer before; from the oldest event that is kept when left out.",
  ),
} as const;

export const listEventsEndpoint: Endpoint = {
  id: "listWebhookEvents",
  method: "GET",
  path: "/api/v1/events",
  scope: "webhook:read",
  tag: "Webhook events",
  summary: "Read the feed of events",
  description:
    "Every event of the last 90 days once, whatever endpoints you have: to catch up after you were away, or instead of webhooks. Keep `next_cursor` when you have stored the events, and go on there. Events of one transaction may stand out of their order: `sequence` tells it. Test events are not in it.",
  query: listEventsQuery,
  data: eventPage,
  refusals: ["INVALID_REQUEST"],
};

/** Every component of this file, for the document. */
export const webhookEventComponents = [event, eventPage];
