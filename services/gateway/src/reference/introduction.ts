/** What the reference says before its operations. */

export const tags = [
  { name: "Beneficiaries", description: "Recipients: bank accounts and wallets." },
  { name: "Depositors", description: "Whoever pays in from a wallet." },
  { name: "Quotes", description: "What a payout would cost and bring, and what can be sent." },
  { name: "Payouts", description: "Money on its way out." },
  { name: "Accounts", description: "Your money, and every movement of it." },
  { name: "Webhook endpoints", description: "Where you are told of payouts." },
  { name: "Webhook deliveries", description: "What you were told, and how it went." },
  { name: "Webhooks", description: "What your endpoints receive." },
  { name: "Operational", description: "Without a key: for whoever runs the gateway." },
] as const;

export const introduction = `Send money out: to bank accounts over SWIFT, ACH and local rails, and to wallets on six crypto networks.

## A first payout

1. \`POST /api/v1/transfer/crypto/beneficiary\` or \`…/fiat/beneficiary\` registers whom you pay. \`GET /api/v1/transfer/beneficiary-forms\` tells which fields to ask for.
2. \`POST /api/v1/transfer/rfq\` quotes the payout from one of your accounts (\`GET /api/v1/transfer/accounts\`).
3. \`POST /api/v1/transfer/execute\` pays the quote, once.
4. \`GET /api/v1/transfer/payouts/{payoutId}\`, or a webhook, tells what became of it.

\`\`\`sh
curl "$API/api/v1/transfer/accounts" -H "Authorization: Bearer $KEY"
\`\`\`

## Conventions

- **Authentication.** \`Authorization: Bearer <api key>\` on every \`/api/v1\` path. A key begins with \`dsb_test_\` (sandbox) or \`dsb_live_\`.
- **Answers.** Success is \`200\` and \`{ "data": … }\`; an error is exactly \`{ "code": …, "message": … }\`. Decide by \`code\`; the message names every failing field.
- **Amounts.** JSON numbers, digit for digit, with all decimals of their currency. Read them with a decimal parser, never as a float. On the way in a number or a string is taken.
- **Idempotency.** Send an \`Idempotency-Key\` with every \`POST\`. The same key and body again gets the first answer, with \`Idempotent-Replayed: true\`, and nothing is done twice.
- **Lists.** Every list takes \`limit\` (1 to 100, 20 by default) and \`cursor\`, and answers \`meta_data.next_cursor\`, empty on the last page, and \`meta_data.total_count\`.
- **Time.** ISO 8601 in UTC with milliseconds. Text that has no value yet is \`""\`, never null.
- **Limits.** \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` on every answer; \`429\` and \`503\` say \`Retry-After\` in seconds.
- **Growth.** Fields, codes and words may be added to \`/api/v1\`; none is taken away or changed.`;
