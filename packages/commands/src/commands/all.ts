import type { CallCommand, UploadCommand } from "../table/command.ts";
import { bankFileCommands } from "./bank-files.ts";
import { complianceCommands, listImport } from "./compliance.ts";
import { corridorCallCommands } from "./corridors.ts";
import { memberCommands } from "./members.ts";
import { merchantCommands } from "./merchants.ts";
import { moneyCommands } from "./money.ts";
import { orderCommands } from "./orders.ts";
import { partyCommands } from "./parties.ts";
import { payoutCommands } from "./payouts.ts";
import { webhookCommands } from "./webhooks.ts";

export type Group = { readonly name: string; readonly summary: string };

/** The first words of commands, with their meaning. */
export const callGroups: readonly Group[] = [
  { name: "merchants", summary: "registered merchants" },
  { name: "permissions", summary: "creation permissions of merchants" },
  { name: "keys", summary: "API keys of merchants" },
  { name: "members", summary: "people of merchants' teams" },
  { name: "beneficiaries", summary: "parties that merchants pay" },
  { name: "depositors", summary: "parties that pay merchants" },
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
];

/** Every action and read of operators that is one RPC. */
export const callCommands: readonly CallCommand[] = [
  ...[
    ...merchantCommands,
    ...memberCommands,
    ...partyCommands,
    ...moneyCommands,
    ...corridorCallCommands,
    ...payoutCommands,
  ],
  ...[...orderCommands, ...bankFileCommands, ...complianceCommands, ...webhookCommands],
];

/** Every action of operators that sends files. */
export const uploadCommands: readonly UploadCommand[] = [listImport];
