import {
  AccountSchema,
  GetAccountRequestSchema,
  type LedgerEntry,
  LedgerEntrySchema,
  LedgerStep,
  ListAccountsResponseSchema,
  ListEntriesRequestSchema,
  ListEntriesResponseSchema,
  UpdateAccountRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { updateAccount } from "@disburse/forms/bodies/account.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, type FileFormat, get, patch, post, type Resource } from "../openapi/route.ts";
import { activityComponents, getAccountActivity } from "./account-activity.ts";
import { csvFile } from "./parts/csv-file.ts";
import { exportStatement } from "./statements.ts";

export const account = f.record(AccountSchema, "Account", "An account with its balances.", {
  id: f.id("acc", "Account id."),
  name: f.text("Your own name for it; empty if it has none.", "Payroll"),
  currency_code: f.text("Its currency.", "USD"),
  available: f.decimal("Available balance.", "1000000.00"),
  held: f.decimal("Held for payouts in progress and reserved for scheduled ones.", "0.00"),
  low_balance_threshold: f.optional(
    f.decimal(
      "A fall of `available` below it sends `account.balance_low`; omitted if you set none.",
      "500.00",
    ),
  ),
  top_up_instructions: f.text(
    "How to send money to it, by the operator: plain text with line breaks; empty if there is none.",
    "IBAN DE89 3704 0044 0532 0130 00\nReference: ACME-1",
  ),
  closed_at: f.momentOrNone("When it was closed; empty while it is open."),
  ...f.recordTimes,
});

/**
 * Returns the amount that an entry posts to an account, with all decimals of the currency. Returns
 * zero if the entry has no posting to the account.
 */
export const posted =
  (account: string) =>
  ({ postings, currencyCode }: Pick<LedgerEntry, "postings" | "currencyCode">): string => {
    const posting = postings.find((each) => each.account === account);
    const amount = parseDecimal(posting?.amount ?? "0");
    if (amount === undefined) throw new Error("a posting's amount is not a decimal");
    return formatDecimal(amount, currencyOf(currencyCode).decimals);
  };

/** An entry shows the merchant only the postings to the merchant's own account, and the fees. */
const entry = f.record(LedgerEntrySchema, "LedgerEntry", "One line of a statement.", {
  id: f.text("Id of the line: the movement and its step.", "…"),
  account_id: f.id("acc", "Account id."),
  sequence: f.whole("Consecutive number within the account, from 1.", 1, { minimum: 1 }),
  step: f.word(
    LedgerStep,
    "`credit`: money was received. `hold`: reserved for a payout. `post`: left the account. `release`: the hold was released. `return`: a payout's money came back. `reversal`: a credit was reversed. `reserve`: held for a scheduled payout. `unreserve`: the reservation ended.",
  ),
  currency_code: f.text("Currency of the amounts.", "USD"),
  amount: f.decimal("Amount of the movement.", "250.00"),
  available: f.decimal("Available balance after it.", "999750.00"),
  held: f.decimal("Held balance after it.", "250.00"),
  available_change: f.from(posted("available"), f.decimal("Change of `available`.", "-250.00")),
  held_change: f.from(posted("held"), f.decimal("Change of `held`.", "250.00")),
  total_fees: f.from(
    posted("platform:fees"),
    f.decimal("Fees of a `post`, negative if a `return` refunds them, else zero.", "0.00"),
  ),
  payout_id: f.text("The payout that it belongs to; empty for a credit and its reversal.", ""),
  scheduled_payout_id: f.text(
    "The scheduled payout whose reservation it is (`reserve`, `unreserve`), else empty.",
    "",
  ),
  note: f.text("Note on the movement.", ""),
  reverses: f.text("Id of the line that it reverses (`return`, `reversal`), else empty.", ""),
  previous_hash: f.text("`hash` of the account's previous line; empty for the first.", ""),
  hash: f.text(
    "SHA-256 of the stored line and `previous_hash`: an unbroken chain of hashes proves that the statement is complete and in order.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ),
  created_at: f.moment("When it was written."),
});

/** CSV columns of an exported statement. They are the fields of its lines. */
const entryColumns = Object.keys(entry.schema.properties as object);

const accountPage = f.pageOf(ListAccountsResponseSchema, "AccountPage", "accounts", account);
const entryPage = f.pageOf(ListEntriesResponseSchema, "LedgerEntryPage", "entries", entry);

const entryFilters = q.queryOf(ListEntriesRequestSchema, {
  step: q.word(LedgerStep, "Only lines of this step."),
  payout_id: q.id("payout", "Only lines of this payout."),
  created_from: q.bound("Written at or after this time."),
  created_to: q.bound("Written before this time."),
});

const getAccountQuery = q.queryOf(GetAccountRequestSchema, {
  as_of: q.moment(
    "The account after its last statement line at or before this time; not earlier than its opening.",
  ),
});

const statementFile: FileFormat = {
  mediaType: "text/csv",
  name: "entries.csv",
  description: "A header row, then one row for each statement line (RFC 4180).",
  example: `${entryColumns.join(",")}\r\n`,
};

/** Maximum page length of `listEntries`. */
const exportPage = 100;

export const accounts: Resource = {
  scope: "account",
  tag: "Accounts",
  components: [account, entry, accountPage, entryPage, ...activityComponents],
  routes: [
    get("listAccounts", "/api/v1/transfer/accounts", {
      summary: "List accounts",
      description: "Your accounts, oldest first.",
      query: q.page,
      data: accountPage,
      answer: ({ request }, { payout }) => payout.listAccounts(request),
    }),
    get("getAccount", "/api/v1/transfer/accounts/:accountId", {
      summary: "Get account",
      description: "One account with its available and held balance, now or as of a time.",
      query: getAccountQuery,
      data: account,
      answer: async ({ request }, { payout }) => (await payout.getAccount(request)).account,
    }),
    patch("updateAccount", "/api/v1/transfer/accounts/:accountId", {
      summary: "Update account",
      description:
        "Sets your own name of an account and its `low_balance_threshold`. Only the fields that are sent change. When the available balance falls below the threshold, endpoints that name `account.balance_low` get one event. The next one follows only after the balance was at or above the threshold again. A new threshold above the present balance counts as a fall, unless the balance was below the previous threshold too.",
      body: { form: updateAccount },
      data: account,
      answer: async (call, { payout }) =>
        (await payout.updateAccount(bodyRequest(call, UpdateAccountRequestSchema))).account,
    }),
    post("closeAccount", "/api/v1/transfer/accounts/:accountId/close", {
      summary: "Close account",
      description:
        "Closes an account without available money. It takes no new quotes, payouts, scheduled payouts and credits: `SOURCE_ACCOUNT_CLOSED`. Request for quote can accept it for up to five minutes more; executing such a quote is refused at once. A batch from it is `INVALID_REQUEST`. Payouts that hold its money end as usual, and returned money still arrives. Payouts and lines that wait for its balance fail with `SOURCE_ACCOUNT_CLOSED`, and so do scheduled payouts and lines of batches that are due later. Statements stay. A repeat returns the same response. `STATE_NOT_REACHABLE`: pay out what is available first, and cancel scheduled payouts that reserve money. Only an operator can open the account again.",
      data: account,
      refusals: ["RECORD_NOT_FOUND", "STATE_NOT_REACHABLE"],
      answer: async ({ change }, { payout }) => (await payout.closeAccount(change)).account,
    }),
    get("listEntries", "/api/v1/transfer/accounts/:accountId/entries", {
      summary: "List entries (statement)",
      description: "Every movement of an account's money, newest first.",
      query: { ...q.page, ...entryFilters },
      data: entryPage,
      answer: ({ request }, { payout }) => payout.listEntries(request),
    }),
    get("exportEntries", "/api/v1/transfer/accounts/:accountId/entries.csv", {
      summary: "Export entries (CSV)",
      description:
        "The complete statement as a file, newest first: one column for each field of List entries, with exact amounts. It is a snapshot as of its first line: entries written during the download are not included. A download that breaks off is incomplete: use the file only if the response ended normally.\n\nA note that a spreadsheet would run as a formula (it begins with `=`, `+`, `-` or `@`) is prefixed with `'`.",
      query: entryFilters,
      data: statementFile,
      answer: ({ request }, { payout }) =>
        csvFile({
          columns: entryColumns,
          load: (cursor) => payout.listEntries({ ...request, limit: exportPage, cursor }),
          rowsOf: ({ entries }) => entries.map(entry.write),
        }),
    }),
    exportStatement,
    getAccountActivity,
  ],
};
