import { completionCommands } from "../completion.ts";
import type { CommandLine, Group } from "../table/command-line.ts";
import { approvalCommands } from "./approvals.ts";
import { auditCommands } from "./audit.ts";
import { bankFileCommands } from "./bank-files.ts";
import { beneficiaryCommands } from "./beneficiaries.ts";
import { complianceCommands } from "./compliance.ts";
import { corridorCommands } from "./corridors.ts";
import { listImportCommands } from "./list-import.ts";
import { merchantCommands } from "./merchants.ts";
import { moneyCommands } from "./money.ts";
import { orderCommands } from "./orders.ts";
import { payoutCommands } from "./payouts.ts";
import { sessionCommands } from "./session.ts";
import { statusCommands } from "./status.ts";
import { verifyCommands } from "./verify.ts";
import { webhookCommands } from "./webhooks.ts";

/** The version of this package; a test holds it against `package.json`. */
export const version = "0.1.0";

/** In the order of `--help`: who one is, merchants from their first day on, money, checks. */
const groups: readonly Group[] = [
  { name: "login", summary: "sign in" },
  { name: "logout", summary: "end the login" },
  { name: "whoami", summary: "who is logged in" },
  { name: "status", summary: "how the deployment is" },
  { name: "merchants", summary: "the registry of merchants" },
  { name: "settings", summary: "what a merchant may create" },
  { name: "keys", summary: "merchants' API keys" },
  { name: "beneficiaries", summary: "stored beneficiaries of every merchant" },
  { name: "accounts", summary: "merchants' accounts" },
  { name: "credits", summary: "money that arrived" },
  { name: "corridors", summary: "pairs of currencies, their fees and limits" },
  { name: "rates", summary: "exchange rates" },
  { name: "velocity", summary: "limits on payouts in an hour and a day" },
  { name: "controls", summary: "what stands before a merchant's payouts" },
  { name: "payouts", summary: "payouts, and what is in doubt" },
  { name: "batches", summary: "many payouts, approved as a whole" },
  { name: "scheduled", summary: "payouts that are made at a time" },
  { name: "rails", summary: "the ways to pay" },
  { name: "wallets", summary: "the wallets of rails on chains" },
  { name: "bank-files", summary: "files to banks, and what their answers need a person for" },
  { name: "house", summary: "the house's balances" },
  { name: "lists", summary: "sanctions lists" },
  { name: "screenings", summary: "screenings of wallets and parties" },
  { name: "alerts", summary: "hits that a person decides" },
  { name: "webhooks", summary: "endpoints, deliveries, replays" },
  { name: "approvals", summary: "what one person must not do alone" },
  { name: "audit", summary: "what people did" },
  { name: "verify", summary: "check a payout's receipt" },
  { name: "completion", summary: "completion in a shell" },
  { name: "complete", summary: "completion in a shell" },
];

/** Everything that the command line can do. */
export const commandLine: CommandLine = {
  groups,
  commands: [
    ...[...sessionCommands, ...statusCommands, ...merchantCommands, ...beneficiaryCommands],
    ...moneyCommands,
    ...[...corridorCommands, ...payoutCommands, ...orderCommands, ...bankFileCommands],
    ...[...complianceCommands, ...listImportCommands],
    ...[
      ...webhookCommands,
      ...approvalCommands,
      ...auditCommands,
      ...verifyCommands,
      ...completionCommands(() => commandLine),
    ],
  ],
  version,
};
