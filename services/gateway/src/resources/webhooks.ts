import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { exampleOfSchema } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import { payoutWebhook } from "./payouts.ts";

/** The payloads of webhooks (service interface, "Events"; decisions: webhooks). */

const payload = (
  name: string,
  description: string,
  its: Parameters<typeof f.objectSchema>[1],
): f.NamedSchema => ({ name, schema: f.objectSchema(description, its) });

/** The payload of webhooks about a payment session. */
export const paymentSessionData = payload("PaymentSessionWebhookData", "A payment session.", {
  id: f.text("Payment session id.", "ps_1001"),
  reference_id: f.text("Your own reference.", "order-1001"),
  merchant_id: f.text("Your id.", "mer_01hqz0000000000000000000ab"),
  status: f.text("Its status.", "initiated"),
  failure_code: f.text("Why it failed; empty if it did not.", ""),
  amount: f.decimal("Its amount.", "100.10"),
  source_currency: f.text("Currency that is paid in.", "USDC_ETH"),
  source_account: f.text("Wallet address that pays.", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
  payment_option_id: f.text("Way of paying.", "opt_1"),
  payment_option_code: f.text("Its code.", "USDC_ETH"),
  success_redirect_url: f.text("Where the payer goes on success.", "https://merchant.example/paid"),
  failure_redirect_url: f.text(
    "Where the payer goes on failure.",
    "https://merchant.example/failed",
  ),
  risk_score: f.text("Its risk.", "lowRisk"),
  created_at: f.text("When it was created.", "2026-11-20T11:26:00.123Z"),
  updated_at: f.text("When it last changed.", "2026-11-20T11:26:00.123Z"),
  expires_at: f.text("When it expires.", "2026-11-20T12:26:00.123Z"),
});

/** The payload of webhooks about a refund. */
export const refundData: f.NamedSchema = {
  name: "RefundWebhookData",
  schema: {
    type: "object",
    description: "A refund as its system reports it.",
    properties: {
      id: f.text("Refund id.", "rf_1001").schema,
      status: f.text("Its status.", "initiated").schema,
    },
    additionalProperties: true,
    examples: [{ id: "rf_1001", status: "initiated" }],
  },
};

const probe = (name: string, description: string, status: string, endpoint: string) =>
  payload(name, description, {
    id: f.text("Id of the event.", "evt_01hqz0000000000000000000ab"),
    status: f.oneOf("Constant.", [status]),
    merchant_id: f.id("mer", "Your id."),
    endpoint_id: f.id("whe", endpoint),
    created_at: f.moment("When it was requested."),
  });

const testData = probe(
  "TestWebhookData",
  "A test event, made by `sendTestWebhook`.",
  "test",
  "The endpoint under test.",
);

const challengeData = probe(
  "ChallengeWebhookData",
  "A challenge, made by `verifyWebhookEndpoint`: your 200 makes the URL live.",
  "challenge",
  "The endpoint whose URL is verified.",
);

const events = {
  payout_session: [payoutWebhook, "A payout was initiated, or its status changed."],
  payment_session: [paymentSessionData, "A payment session changed."],
  refund: [refundData, "A refund changed."],
  webhook_test: [testData, "A test of the endpoint."],
  webhook_challenge: [challengeData, "The endpoint's URL is verified."],
} as const;

/** `data.id` again, with the same example. */
function idOf({ schema }: f.NamedSchema) {
  const { id: described } = schema.properties as Record<string, { examples: [string] }>;
  return f.text("Id of the transaction: `data.id`.", described?.examples[0] ?? "");
}

const envelopes = Object.entries(events).map(([type, [data, summary]]) => {
  const name = data.name.replace(/Data$/, "");
  const body = payload(name, "The body of a webhook: exactly these three fields.", {
    transaction_type: f.oneOf("Type of transaction.", [type]),
    transaction_id: idOf(data),
    data: { schema: f.schemaRef(data) },
  });
  return { type, body, summary };
});

const headers = Object.entries({
  "X-SERVICE-Signature":
    '`base64(sha256("<data.id>,<data.status>:<secret>"))`. It covers neither amounts nor time.',
  "X-SERVICE-Signature-Previous": "The same with the previous secret, during a rotation's overlap.",
  "webhook-id": "The event's id, the same on every retry and redelivery: ignore repeats.",
  "webhook-timestamp": "Unix seconds of this attempt: refuse it if it is more than 5 minutes off.",
  "webhook-signature":
    "Standard Webhooks: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64; two, separated by a space, during a rotation's overlap.",
  "webhook-sequence": "Orders the events of one transaction, from 1. No signature covers it.",
}).map(([name, description]) => {
  const required = name !== "X-SERVICE-Signature-Previous";
  return { name, in: "header", required, description, schema: { type: "string" } };
});

/** The `webhooks` of the document: by what the event is of, what is sent and what is awaited. */
export function webhookItems(
  schemas: ReadonlyMap<string, JsonSchema>,
): Readonly<Record<string, JsonSchema>> {
  const items = envelopes.map(({ type, body, summary }) => {
    const schema = f.schemaRef(body);
    const examples = { [type]: { value: exampleOfSchema(schema, schemas) } };
    const post = {
      operationId: `on_${type}`,
      tags: ["Webhooks"],
      summary,
      description:
        "Any response but 200 within 15 s is retried, with delays that double from 5 s, for 24 hours. Check both signatures over the bytes that arrived: `verifyWebhook(rawBody, headers, { secret, standardSecret })` of the SDK does; by hand, the HMAC's key is what follows `whsec_` in `standard_secret`, base64-decoded. An event may arrive more than once: ignore a `webhook-id` that you have seen.",
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { "application/json": { schema, examples } } },
      responses: { "200": { description: "The event is stored on your side." } },
    };
    return [type, { post }];
  });
  return Object.fromEntries(items);
}

/** The named parts of the webhooks. */
export const webhookComponents: readonly f.NamedSchema[] = [
  payoutWebhook,
  paymentSessionData,
  refundData,
  testData,
  challengeData,
  ...envelopes.map(({ body }) => body),
];
