import { readFileSync } from "node:fs";

/** What operations are listed under. */
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
export const introduction = readFileSync(
  new URL("./introduction.md", import.meta.url),
  "utf8",
).trimEnd();
