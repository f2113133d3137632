/** What the reference says before its operations. */

export const tags = [
  { name: "Beneficiaries", description: "Recipients: bank accounts and wallets." },
  { name: "Depositors", description: "Whoever pays in from a wallet." },
  { name: "Quotes", description: "What a payout would cost and bring, and what can be sent." },
  { name: "Payouts", description: "Money on its way out." },
  { name: "Accounts", description: "Your money, and every movement of it." },
  { name: "Webhook endpoints", description: "Where you are told of payouts." },
  { name: "Webhook deliveries", description: "What you were told, and how it went." },
  { name: "Webhook events", description: "Everything that there was to tell, to catch up with." },
  {
    name: "Webhooks",
    description: "What your endpoints receive; `webhooks.md` tells how to verify it.",
  },
  { name: "Operational", description: "Without a key: for whoever runs the gateway." },
] as const;

/** What an operation is listed under. */
export type Tag = (typeof tags)[number]["name"];

/** The description of the API: a first payout, and the conventions. */
export const introduction = `Send money out: to bank accounts over SWIFT, ACH and local rails, and to crypto wallets.

## A first payout

An API key says who you are. In the sandbox \`npm start\` prints one, and \`.data/sandbox.json\` has those of all its merchants; elsewhere your operator makes it.

\`\`\`sh
API=http://127.0.0.1:8080
KEY=dsb_test_…
curl -s "$API/api/v1/transfer/accounts" -H "Authorization: Bearer $KEY"
\`\`\`

Choose an account with money in it, and register whom you pay: a bank account here, or a wallet. \`GET /api/v1/transfer/beneficiary-forms\` tells which fields each kind has.

\`\`\`sh
ACCOUNT=acc_…
curl -s "$API/api/v1/transfer/fiat/beneficiary" -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" -H "Idempotency-Key: beneficiary-jane" -d '{
    "beneficiary_account_type": "Individual",
    "beneficiary_first_name": "Jane", "beneficiary_last_name": "Doe",
    "beneficiary_address": "1 Main Street", "beneficiary_city": "New York",
    "beneficiary_state": "NY", "beneficiary_postcode": "10001",
    "destination_currency": "USD", "transfer_type": "ACH", "destination_country": "US",
    "routing_code_type_1": "ACH CODE", "routing_code_value_1": "021000021",
    "beneficiary_account_number": "1234567890" }'
\`\`\`

Ask what it costs and brings; the quote holds until \`expired_at\`.

\`\`\`sh
BENEFICIARY=ben_…
curl -s "$API/api/v1/transfer/rfq" -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" -H "Idempotency-Key: quote-1001" -d '{
    "source_amount": "250.00", "source_currency_code": "USD", "destination_currency_code": "USD",
    "beneficiary_id": "'$BENEFICIARY'", "account_id": "'$ACCOUNT'" }'
\`\`\`

Pay it, once.

\`\`\`sh
QUOTE=qt_…
curl -s "$API/api/v1/transfer/execute" -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" -H "Idempotency-Key: order-1001" \\
  -d '{ "quote_id": "'$QUOTE'", "reference_id": "order-1001" }'
\`\`\`

What became of it is told by a webhook, and by reading it:

\`\`\`sh
PAYOUT=po_…
curl -s "$API/api/v1/transfer/payouts/$PAYOUT" -H "Authorization: Bearer $KEY"
\`\`\`

## Conventions

- **Authentication.** \`Authorization: Bearer <api key>\` on every \`/api/v1\` path. A key begins with \`dsb_test_\` (sandbox) or \`dsb_live_\`.
- **Answers.** Success is \`200\` and \`{ "data": … }\`; an error is exactly \`{ "code": …, "message": … }\`. Decide by \`code\`; the message of \`INVALID_REQUEST\` names every failing field.
- **Amounts.** JSON numbers, digit for digit, with all decimals of their currency; strings of the same digits in \`amount\` of a listed payout. Read them with a decimal parser, never as a float. On the way in a number or a string is taken.
- **Idempotency.** Send an \`Idempotency-Key\` with every \`POST\` and \`PATCH\`. The same key and body again gets the first answer, with \`Idempotent-Replayed: true\`, and nothing is done twice.
- **Lists.** Every list takes \`limit\` (1 to 100, 20 by default) and \`cursor\`, and answers \`meta_data.next_cursor\`, empty on the last page, and \`meta_data.total_count\`. The feed of events alone goes on without end, by \`after\`.
- **Payouts end twice, sometimes.** \`initiated\` becomes \`succeeded\` or \`failed\`; a bank can send money back after that, and \`succeeded\` becomes \`failed\`, the money credited.
- **Time.** ISO 8601 in UTC with milliseconds. Text that has no value yet is \`""\`, never null.
- **Limits.** \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` on every answer to a valid key; \`409\`, \`429\` and \`503\` say \`Retry-After\` in seconds.
- **Growth.** Fields, codes and words may be added to \`/api/v1\`; none is taken away or changed.

## Webhooks

\`webhooks.md\`, beside this document in the project's \`docs\`, tells how to receive and verify webhooks, order, filter, pause and replay them, rotate their secrets, verify a URL, and catch up by the feed of events.`;
