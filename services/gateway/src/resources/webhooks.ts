import type { optInEventTypes } from "@disburse/forms/bodies/webhooks.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { exampleOfSchema } from "../openapi/document.ts";
import * as f from "../openapi/fields.ts";
import { createdByInWebhook } from "./parts/actor.ts";
import { batchNames } from "./parts/batches.ts";
import { digestExample } from "./parts/payouts.ts";
import { sandboxExample } from "./parts/sandbox-event.ts";
import { payoutWebhook } from "./payouts.ts";

/** Builds the payload of a webhook (service interface, "Events"; decisions: webhooks). */

const payload = (
  name: string,
  description: string,
  its: Parameters<typeof f.objectSchema>[1],
): f.NamedSchema => ({ name, schema: f.objectSchema(description, its) });

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
  success_redirect_url: f.text(
    "URL to which the payer is sent on success.",
    "https://merchant.example/paid",
  ),
  failure_redirect_url: f.text(
    "URL to which the payer is sent on failure.",
    "https://merchant.example/failed",
  ),
  risk_score: f.text("Its risk.", "lowRisk"),
  created_at: f.text("When it was created.", "2026-11-20T11:26:00.123Z"),
  updated_at: f.text("When it last changed.", "2026-11-20T11:26:00.123Z"),
  expires_at: f.text("When it expires.", "2026-11-20T12:26:00.123Z"),
});

export const refundData: f.NamedSchema = {
  name: "RefundWebhookData",
  schema: {
    type: "object",
    description: "A refund, with all fields that its system sends.",
    properties: {
      id: f.text("Refund id.", "rf_1001").schema,
      status: f.text("Its status.", "initiated").schema,
    },
    additionalProperties: true,
    examples: [{ id: "rf_1001", status: "initiated" }],
  },
};

const balanceLow = payload("AccountBalanceLowWebhookData", "An account's balance is low.", {
  id: f.id("acc", "The account."),
  status: f.oneOf("Constant.", ["low"]),
  merchant_id: f.id("mer", "Your id."),
  name: f.text("Your own name for the account; empty if it has none.", "Payroll"),
  currency_code: f.text("The account's currency.", "USD"),
  available: f.decimal("Available balance after the fall.", "480.00"),
  low_balance_threshold: f.decimal("The threshold that you set.", "500.00"),
  fell_at: f.moment("When it fell."),
});

const accountCredited = payload("AccountCreditedWebhookData", "An account was credited.", {
  id: f.id("acc", "The account."),
  status: f.oneOf("Constant.", ["credited"]),
  merchant_id: f.id("mer", "Your id."),
  entry_id: f.text("Id of the line in the account's statement.", "…"),
  currency_code: f.text("The account's currency.", "USD"),
  amount: f.decimal("Amount of the credit.", "2500.00"),
  available: f.decimal("Available balance after it.", "12500.00"),
  held: f.decimal("Held balance after it.", "0.00"),
  note: f.text("Note on the credit; empty if there is none.", "wire of 20 November"),
  created_at: f.moment("When it was credited."),
});

const batchRequired = payload(
  "BatchApprovalWebhookData",
  "A batch waits for approval: see Approve batch.",
  {
    id: f.id("bat", "The batch."),
    status: f.oneOf("Constant.", ["awaiting_approval"]),
    merchant_id: f.id("mer", "Your id."),
    ...batchNames,
    line_count: f.whole("Number of lines.", 3),
    account_id: f.id("acc", "Account that pays."),
    source_currency_code: f.text("Currency of the account.", "USD"),
    source_total: f.decimal("Sum of the lines with a source amount.", "22.50"),
    digest: f.text("Digest of the approved content.", digestExample),
    created_at: f.moment("When it was created."),
    ...createdByInWebhook,
  },
);

const batchFinished = payload("BatchFinishedWebhookData", "A batch is finished.", {
  id: f.id("bat", "The batch."),
  status: f.oneOf("Constant.", ["finished"]),
  merchant_id: f.id("mer", "Your id."),
  ...batchNames,
  line_count: f.whole("Number of lines.", 3),
  executed_count: f.whole("Lines whose payout was created.", 2),
  failed_count: f.whole("Lines for which no payout could be created.", 1),
  cancelled_count: f.whole("Lines that were cancelled.", 0),
  source_currency_code: f.text("Currency of the account.", "USD"),
  total_amount: f.decimal("Cost of its payouts, including fees.", "22.50"),
  finished_at: f.moment("When it was finished."),
  ...createdByInWebhook,
});

const screeningChanged = payload(
  "BeneficiaryScreeningWebhookData",
  "A beneficiary's screening status changed after the request that created it was answered.",
  {
    id: f.id("ben", "The beneficiary."),
    status: f.oneOf("Its screening status now.", ["cleared", "review", "blocked"]),
    previous_status: f.oneOf("Previous screening status.", [
      "pending",
      "cleared",
      "review",
      "blocked",
    ]),
    merchant_id: f.id("mer", "Your id."),
    changed_at: f.moment("When it changed."),
    ...createdByInWebhook,
  },
);

const approvalRequired = payload(
  "PayoutApprovalWebhookData",
  "A payout waits for approval: see Approve payout.",
  {
    id: f.id("po", "The payout."),
    status: f.oneOf("Constant.", ["awaiting_approval"]),
    merchant_id: f.id("mer", "Your id."),
    reference_id: f.text("Your own reference; empty if none was given.", "order-1001"),
    beneficiary_id: f.id("ben", "Beneficiary of the payment."),
    reasons: f.listOf(
      "Why; empty if it waited for balance when its API key was revoked.",
      f.oneOf("One of your approval rules.", ["amount", "new_beneficiary"]),
    ),
    digest: f.text("Digest of the approved content.", digestExample),
    source_currency_code: f.text("Currency of the account.", "USD"),
    source_amount: f.decimal("Amount that the account pays, including fees.", "250.00"),
    destination_currency_code: f.text("Currency of the beneficiary.", "USDC_ETH"),
    receiving_amount: f.decimal("Amount that the beneficiary receives.", "248.207250"),
    expires_at: f.moment("When it is cancelled if no one has decided."),
    created_at: f.moment("When it was executed."),
    ...createdByInWebhook,
  },
);

const scheduledRequired = payload(
  "ScheduledPayoutApprovalWebhookData",
  "A scheduled payout waits for approval: see Approve scheduled payout.",
  {
    id: f.id("spo", "The scheduled payout."),
    status: f.oneOf("Constant.", ["awaiting_approval"]),
    merchant_id: f.id("mer", "Your id."),
    reference_id: f.text("Your own reference; empty if none was given.", "order-1001"),
    account_id: f.id("acc", "Account that pays."),
    beneficiary_id: f.id("ben", "Beneficiary of the payment."),
    source_currency_code: f.text("Currency of the account.", "USD"),
    source_amount: f.optional(
      f.decimal(
        "Amount that the account pays; omitted if the receiving amount is fixed.",
        "250.00",
      ),
    ),
    destination_currency_code: f.text("Currency of the beneficiary.", "USD"),
    receiving_amount: f.optional(
      f.decimal(
        "Amount that the beneficiary receives; omitted if the source amount is fixed.",
        "248.20",
      ),
    ),
    digest: f.text("Digest of the approved content.", digestExample),
    scheduled_at: f.moment("When it was due."),
    expires_at: f.moment("When it fails if no one has decided."),
    ...createdByInWebhook,
  },
);

const endpointFailing = payload(
  "EndpointFailingWebhookData",
  "An endpoint of yours has acknowledged nothing for 10 minutes.",
  {
    id: f.id("whe", "The endpoint."),
    status: f.oneOf("Constant.", ["failing"]),
    merchant_id: f.id("mer", "Your id."),
    description: f.text("Your note on it; empty if none was given.", "Production"),
    failing_since: f.moment("When its first attempt failed."),
    last_failure: f.text("Status or error of the last failure.", "503"),
  },
);

const endpointRecovered = payload(
  "EndpointRecoveredWebhookData",
  "An endpoint of yours that was failing acknowledges again.",
  {
    id: f.id("whe", "The endpoint."),
    status: f.oneOf("Constant.", ["recovered"]),
    merchant_id: f.id("mer", "Your id."),
    description: f.text("Your note on it; empty if none was given.", "Production"),
    failing_since: f.moment("When its first attempt had failed."),
    recovered_at: f.moment("When it acknowledged."),
  },
);

const endpointPaused = payload(
  "EndpointPausedWebhookData",
  "An endpoint of yours was paused because it takes nothing: see Resume webhook endpoint.",
  {
    id: f.id("whe", "The endpoint."),
    status: f.oneOf("Constant.", ["paused"]),
    merchant_id: f.id("mer", "Your id."),
    reason: f.oneOf(
      "`gone`: every attempt of a delivery got 410 for 24 hours. `unresponsive`: it acknowledged nothing for five days.",
      ["gone", "unresponsive"],
    ),
    description: f.text("Your note on it; empty if none was given.", "Production"),
    paused_at: f.moment("When it was paused."),
  },
);

/**
 * Payloads of opt-in events. An endpoint receives such an event only if it subscribes to its type.
 */
export const optInData = {
  "account.balance_low": [
    balanceLow,
    "An account's available balance fell below your `low_balance_threshold`: the next event follows after it was at or above it again.",
  ],
  "account.credited": [accountCredited, "An account was credited: money can be paid out."],
  "batch.approval_required": [
    batchRequired,
    "A batch waits until another of your people or API keys than its maker approves it: your rules ask for it, or it is held because the key that made it was revoked, or its person removed.",
  ],
  "batch.finished": [
    batchFinished,
    "A batch is finished: each of its lines has its payout, failed or was cancelled.",
  ],
  "beneficiary.screening_changed": [
    screeningChanged,
    "A beneficiary was cleared, has to be reviewed or was blocked: payouts to it follow its status.",
  ],
  "endpoint.failing": [
    endpointFailing,
    "An endpoint has acknowledged nothing for 10 minutes. Its events are retried.",
  ],
  "endpoint.recovered": [endpointRecovered, "An endpoint that was failing acknowledges again."],
  "payout.approval_required": [
    approvalRequired,
    "A payout waits until another of your people or API keys approves it.",
  ],
  "scheduled_payout.approval_required": [
    scheduledRequired,
    "A scheduled payout is held until another of your people or API keys approves it: the key that made it was revoked, or its person removed.",
  ],
  "webhook_endpoint.paused": [
    endpointPaused,
    "An endpoint was paused because it takes nothing. Its events wait until you resume it.",
  ],
} as const satisfies Record<(typeof optInEventTypes)[number], readonly [f.NamedSchema, string]>;

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
  ...optInData,
  webhook_test: [testData, "A test of the endpoint."],
  webhook_challenge: [challengeData, "The endpoint's URL is verified."],
} as const;

/** Returns a field with the schema and the example of `data.id`. */
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

/**
 * Explains how webhooks are retried and verified. Every webhook's description contains this text.
 */
const how =
  "Any response but 200 within 15 s is retried, with delays that double from 5 s, for 24 hours. Check both signatures over the bytes that arrived: `verifyWebhook(rawBody, headers, { secret, standardSecret })` of the SDK does; by hand, the HMAC's key is what follows `whsec_` in `standard_secret`, base64-decoded. An event may arrive more than once: ignore a `webhook-id` that you have seen.";

/** Explains which endpoints receive a type. Used if `event_types` alone doesn't decide that. */
function recipientsOf(type: string): string {
  if (type === "webhook_endpoint.paused") {
    return "Sent to every other endpoint of yours, whatever its `event_types`. ";
  }
  if (!(type in optInData)) return "";
  const others = type.startsWith("endpoint.") ? "other endpoints of yours" : "endpoints";
  return `Sent only to ${others} whose \`event_types\` name \`${type}\`: \`*\` does not stand for it. `;
}

/**
 * Builds the document's `webhooks`, keyed by event type. Each has the body and the expected
 * response.
 */
export function webhookItems(
  schemas: ReadonlyMap<string, JsonSchema>,
): Readonly<Record<string, JsonSchema>> {
  const items = envelopes.map(({ type, body, summary }) => {
    const schema = f.schemaRef(body);
    const examples = { [type]: { value: exampleOfSchema(schema, schemas) } };
    const post = {
      operationId: `on_${type.replaceAll(".", "_")}`,
      tags: ["Webhooks"],
      summary,
      description: `${recipientsOf(type)}${how}`,
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { "application/json": { schema, examples } } },
      responses: { "200": { description: "Your endpoint has stored the event." } },
    };
    return [type, { post }];
  });
  return Object.fromEntries(items);
}

/**
 * Returns the example `data` of a type as JSON, in the status that was sent, or the problems of
 * what was sent. Returns `undefined` for an unknown type.
 */
export function sandboxData(type: string, sent: Parameters<typeof sandboxExample>[3]) {
  const [data] = Object.hasOwn(events, type) ? events[type as keyof typeof events] : [];
  if (data === undefined) return undefined;
  const example = exampleOfSchema(data.schema, new Map()) as Readonly<Record<string, unknown>>;
  const found = sandboxExample(type, data.schema, example, sent);
  return "violations" in found ? found : { dataJson: JSON.stringify(found.example) };
}

export const webhookComponents: readonly f.NamedSchema[] = [
  payoutWebhook,
  paymentSessionData,
  refundData,
  ...Object.values(optInData).map(([data]) => data),
  testData,
  challengeData,
  ...envelopes.map(({ body }) => body),
];
