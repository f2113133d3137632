import { ledgerSteps, wordsOf } from "../routes/words.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import { component, decimal, id, moment, recordTimes, ref, text, whole, word } from "./schema.ts";

const account = component("Account", "An account with its money.", {
  id: id("acc", "Account id."),
  currency_code: text("Its currency.", "USD"),
  available: decimal("What can be spent.", "1000000.00"),
  held: decimal("What is set aside for payouts under way.", "0.00"),
  ...recordTimes,
});

const entry = component("LedgerEntry", "One line of a statement.", {
  id: text("Id of the line: what moved the money, and which step of it.", "…"),
  account_id: id("acc", "Account id."),
  sequence: whole("From 1, without gap within an account.", 1, { minimum: 1 }),
  step: word(
    "`credit`: money arrived. `hold`: set aside for a payout. `post`: left the account. `release`: not paid after all. `return`: paid and came back.",
    wordsOf(ledgerSteps),
  ),
  currency_code: text("Currency of the amounts.", "USD"),
  amount: decimal("What moved.", "250.00"),
  available: decimal("What could be spent after it.", "999750.00"),
  held: decimal("What was set aside after it.", "250.00"),
  payout_id: text("The payout that it belongs to; empty for a credit.", ""),
  note: text("What was noted with it.", ""),
  created_at: moment("When it was written."),
});

const accountPage = pageOf("AccountPage", "accounts", ref(account));
const entryPage = pageOf("LedgerEntryPage", "entries", ref(entry));

const read = { method: "GET", scope: "account:read", tag: "Accounts" } as const;

export const listAccountsEndpoint: Endpoint = {
  ...read,
  id: "listAccounts",
  path: "/api/v1/transfer/accounts",
  summary: "List accounts",
  description: "Your accounts, oldest first.",
  query: pageQuery,
  data: accountPage,
  refusals: ["INVALID_REQUEST"],
};

export const getAccountEndpoint: Endpoint = {
  ...read,
  id: "getAccount",
  path: "/api/v1/transfer/accounts/:accountId",
  summary: "Get account",
  description: "One account: what can be spent, and what is set aside.",
  data: account,
  refusals: ["RECORD_NOT_FOUND"],
};

export const listEntriesEndpoint: Endpoint = {
  ...read,
  id: "listEntries",
  path: "/api/v1/transfer/accounts/:accountId/entries",
  summary: "List entries (statement)",
  description: "Every movement of an account's money, newest first.",
  query: pageQuery,
  data: entryPage,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const accountComponents = [account, entry, accountPage, entryPage];
