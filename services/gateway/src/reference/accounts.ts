import { momentParameter, parameter, tokenParameter, wordParameter } from "../domain/list-query.ts";
import { ledgerSteps, meanings, wordsOf } from "../routes/words.ts";
import type { Endpoint, FileFormat } from "./endpoint.ts";
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
    "`credit`: money arrived. `hold`: set aside for a payout. `post`: left the account. `release`: not paid after all. `return`: paid and came back. `reversal`: a credit taken back.",
    wordsOf(ledgerSteps),
  ),
  currency_code: text("Currency of the amounts.", "USD"),
  amount: decimal("What moved.", "250.00"),
  available: decimal("What could be spent after it.", "999750.00"),
  held: decimal("What was set aside after it.", "250.00"),
  available_change: decimal("What `available` gained; negative where it lost.", "-250.00"),
  held_change: decimal("What `held` gained; negative where it lost.", "250.00"),
  total_fees: decimal(
    "What of a `post` were fees; negative where a `return` gives them back; else zero.",
    "0.00",
  ),
  payout_id: text("The payout that it belongs to; empty for a credit and its reversal.", ""),
  note: text("What was noted with it.", ""),
  reverses: text("Id of the line that it takes back, for `return` and `reversal`; else empty.", ""),
  previous_hash: text("`hash` of the line before it in the account; empty for the first.", ""),
  hash: text(
    "SHA-256 over the line as it is kept and `previous_hash`: a statement whose hashes follow each other is whole and in order.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ),
  created_at: moment("When it was written."),
});

/** The columns of an exported statement: the fields of its lines. */
export const entryColumns = Object.keys(entry.schema.properties as object);

const accountPage = pageOf("AccountPage", "accounts", ref(account));
const entryPage = pageOf("LedgerEntryPage", "entries", ref(entry));

/** What the statement and its export take in their query. */
export const entryFilters = {
  step: parameter(wordParameter(meanings(ledgerSteps)), "Lines of this step alone."),
  payout_id: parameter(tokenParameter, "Lines of this payout alone."),
  created_from: parameter(momentParameter, "Written at this time or later."),
  created_to: parameter(momentParameter, "Written before this time."),
} as const;

export const listEntriesQuery = { ...pageQuery, ...entryFilters } as const;

export const getAccountQuery = {
  as_of: parameter(
    momentParameter,
    "The account after its last line of this time or before; not before it was opened.",
  ),
} as const;

const statementFile: FileFormat = {
  mediaType: "text/csv",
  name: "entries.csv",
  description: "One line of a statement on each line, with a line of names before (RFC 4180).",
  example: `${entryColumns.join(",")}\r\n`,
};

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
  description: "One account: what can be spent, and what is set aside; now, or as of a time.",
  query: getAccountQuery,
  data: account,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

export const listEntriesEndpoint: Endpoint = {
  ...read,
  id: "listEntries",
  path: "/api/v1/transfer/accounts/:accountId/entries",
  summary: "List entries (statement)",
  description: "Every movement of an account's money, newest first.",
  query: listEntriesQuery,
  data: entryPage,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

export const exportEntriesEndpoint: Endpoint = {
  ...read,
  id: "exportEntries",
  path: "/api/v1/transfer/accounts/:accountId/entries.csv",
  summary: "Export entries (CSV)",
  description:
    "The whole statement as a file, newest first: a column for each field of List entries, amounts digit for digit. It is as of the first line: what is written while it is sent is not in it. A file that breaks off is not whole: read it only where the answer came to its end.\n\nWhere a note would be a formula to a spreadsheet (it begins with `=`, `+`, `-` or `@`), a `'` stands before it.",
  query: entryFilters,
  data: statementFile,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const accountComponents = [account, entry, accountPage, entryPage];
