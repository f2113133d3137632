import { completionCommands } from "../completion.ts";
import type { CommandLine, Group } from "../table/command-line.ts";
import { approvalCommands } from "./approvals.ts";
import { auditCommands } from "./audit.ts";
import { bankFileCommands } from "./bank-files.ts";
import { beneficiaryCommands } from "./beneficiaries.ts";
import { complianceCommands } from "./compliance.ts";
import { corridorCommands } from "./corridors.ts";
import { doctorCommands } from "./doctor.ts";
import { listImportCommands } from "./list-import.ts";
import { merchantCommands } from "./merchants.ts";
import { moneyCommands } from "./money.ts";
import { orderCommands } from "./orders.ts";
import { payoutCommands } from "./payouts.ts";
import { sessionCommands } from "./session.ts";
import { statusCommands } from "./status.ts";
import { verifyCommands } from "./verify.ts";
import { webhookCommands } from "./webhooks.ts";

/** This package's version; a test compares it with `package.json`. */
export const version = "0.1.0";

const groups: readonly Group[] = [
  { name: "login", summary: "sign in" },
  { name: "logout", summary: "end the login" },
  { name: "whoami", summary: "show the signed-in identity" },
  { name: "status", summary: "health and version of every service" },
  { name: "doctor", summary: "settings, certificates and dependencies of every service" },
  { name: "merchants", summary: "registered merchants" },
  { name: "permissions", summary: "creation permissions of merchants" },
  { name: "keys", summary: "API keys of merchants" },
  { name: "beneficiaries", summary: "stored beneficiaries of all merchants" },
  { name: "accounts", summary: "accounts of merchants" },
  { name: "credits", summary: "credits to accounts" },
  { name: "corridors", summary: "currency pairs with their fees and limits" },
  { name: "rates", summary: "exchange rates" },
  { name: "velocity", summary: "hourly and daily payout limits" },
  { name: "controls", summary: "duplicate checks and approval rules for payouts" },
  { name: "payouts", summary: "payouts and their exceptions" },
  { name: "batches", summary: "groups of payouts with one approval" },
  { name: "scheduled", summary: "payouts with a future date" },
  { name: "rails", summary: "rails and their accounts" },
  { name: "wallets", summary: "blockchain wallets of rails" },
  { name: "bank-files", summary: "bank files and their findings" },
  { name: "platform", summary: "balances of the platform accounts" },
  { name: "lists", summary: "sanctions lists" },
  { name: "screenings", summary: "screenings of wallets and parties" },
  { name: "alerts", summary: "screening hits that need a decision" },
  { name: "webhooks", summary: "webhook endpoints, deliveries and replays" },
  { name: "approvals", summary: "operators' requests that need a second person's approval" },
  { name: "audit", summary: "audit trails of operators' actions" },
  { name: "verify", summary: "verify a payout's signed receipt" },
  { name: "completion", summary: "shell completion" },
  { name: "complete", summary: "print completions for the completion scripts" },
];

export const commandLine: CommandLine = {
  groups,
  commands: [
    ...[
      ...sessionCommands,
      ...statusCommands,
      ...doctorCommands,
      ...merchantCommands,
      ...beneficiaryCommands,
    ],
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
