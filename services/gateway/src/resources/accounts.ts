import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import {
  AccountSchema,
  GetAccountRequestSchema,
  type LedgerEntry,
  LedgerEntrySchema,
  LedgerStep,
  ListAccountsResponseSchema,
  ListEntriesRequestSchema,
  type ListEntriesResponse,
  ListEntriesResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { type Options, stringify } from "csv-stringify/sync";
import * as f from "../openapi/fields.ts";
import { type FileFormat, get, type Resource } from "../openapi/operation.ts";
import { pageOf } from "../openapi/page.ts";
import * as q from "../openapi/query.ts";

const account = f.record(AccountSchema, "Account", "An account with its money.", {
  id: f.id("acc", "Account id."),
  currency_code: f.text("Its currency.", "USD"),
  available: f.decimal("What can be spent.", "1000000.00"),
  held: f.decimal("What is set aside for payouts under way.", "0.00"),
  ...f.recordTimes,
});

/** What an entry posts to an account, with all decimals of its currency; zero where nothing. */
const posted =
  (account: string) =>
  ({ postings, currencyCode }: Pick<LedgerEntry, "postings" | "currencyCode">): string => {
    const posting = postings.find((each) => each.account === account);
    const amount = parseDecimal(posting?.amount ?? "0");
    if (amount === undefined) throw new Error("a posting has no amount");
    return formatDecimal(amount, currencyOf(currencyCode).decimals);
  };

/** Of an entry's postings the merchant sees those of its own account, and the fees. */
const entry = f.record(LedgerEntrySchema, "LedgerEntry", "One line of a statement.", {
  id: f.text("Id of the line: what moved the money, and which step of it.", "…"),
  account_id: f.id("acc", "Account id."),
  sequence: f.whole("From 1, without gap within an account.", 1, { minimum: 1 }),
  step: f.word(
    LedgerStep,
    "`credit`: money arrived. `hold`: set aside for a payout. `post`: left the account. `release`: not paid after all. `return`: paid and came back. `reversal`: a credit taken back.",
  ),
  currency_code: f.text("Currency of the amounts.", "USD"),
  amount: f.decimal("What moved.", "250.00"),
  available: f.decimal("What could be spent after it.", "999750.00"),
  held: f.decimal("What was set aside after it.", "250.00"),
  available_change: f.from(
    posted("available"),
    f.decimal("What `available` gained; negative where it lost.", "-250.00"),
  ),
  held_change: f.from(
    posted("held"),
    f.decimal("What `held` gained; negative where it lost.", "250.00"),
  ),
  total_fees: f.from(
    posted("house:fees"),
    f.decimal(
      "What of a `post` were fees; negative where a `return` gives them back; else zero.",
      "0.00",
    ),
  ),
  payout_id: f.text("The payout that it belongs to; empty for a credit and its reversal.", ""),
  note: f.text("What was noted with it.", ""),
  reverses: f.text(
    "Id of the line that it takes back, for `return` and `reversal`; else empty.",
    "",
  ),
  previous_hash: f.text("`hash` of the line before it in the account; empty for the first.", ""),
  hash: f.text(
    "SHA-256 over the line as it is kept and `previous_hash`: a statement whose hashes follow each other is whole and in order.",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ),
  created_at: f.moment("When it was written."),
});

/** The columns of an exported statement: the fields of its lines. */
const entryColumns = Object.keys(entry.schema.properties as object);

const accountPage = pageOf(ListAccountsResponseSchema, "AccountPage", "accounts", account);
const entryPage = pageOf(ListEntriesResponseSchema, "LedgerEntryPage", "entries", entry);

const entryFilters = q.queryOf(ListEntriesRequestSchema, {
  step: q.word(LedgerStep, "Lines of this step alone."),
  payout_id: q.token("Lines of this payout alone."),
  created_from: q.moment("Written at this time or later."),
  created_to: q.moment("Written before this time."),
});

const getAccountQuery = q.queryOf(GetAccountRequestSchema, {
  as_of: q.moment(
    "The account after its last line of this time or before; not before it was opened.",
  ),
});

const statementFile: FileFormat = {
  mediaType: "text/csv",
  name: "entries.csv",
  description: "One line of a statement on each line, with a line of names before (RFC 4180).",
  example: `${entryColumns.join(",")}\r\n`,
};

/** A page of an exported statement is as long as a page may be. */
const exportPage = 100;

/** The deadline of each page; the file as a whole has none. */
const pageTimeoutMs = 10_000;

/** RFC 4180. A text that a spreadsheet would run as a formula is escaped, a number never is. */
const csv: Options = {
  columns: entryColumns,
  record_delimiter: "windows",
  escape_formulas: true,
  cast: { object: (number) => ({ value: JSON.stringify(number), escape_formulas: false }) },
};

type LoadPage = (cursor: string) => Promise<ListEntriesResponse>;

/**
 * A statement as CSV, page by page, each loaded when the one before was read. The first is loaded
 * before anything is sent, so that what is refused is refused as everywhere.
 */
async function entriesFile(load: LoadPage): Promise<Readable> {
  const requestId = callContext()?.requestId ?? "";
  const loadInTime: LoadPage = (cursor) =>
    withCallContext({ requestId, deadlineMs: Date.now() + pageTimeoutMs }, () => load(cursor));
  return Readable.from(linesOf(await load(""), loadInTime));
}

async function* linesOf(first: ListEntriesResponse, load: LoadPage): AsyncGenerator<string> {
  yield stringify(first.entries.map(entry.write), { ...csv, header: true });
  for (let { nextCursor } = first; nextCursor !== ""; ) {
    const page = await load(nextCursor);
    yield stringify(page.entries.map(entry.write), csv);
    ({ nextCursor } = page);
  }
}

/** Accounts and their statements. */
export const accounts: Resource = {
  scope: "account",
  tag: "Accounts",
  components: [account, entry, accountPage, entryPage],
  operations: [
    get("listAccounts", "/api/v1/transfer/accounts", {
      summary: "List accounts",
      description: "Your accounts, oldest first.",
      query: q.page,
      data: accountPage,
      answer: ({ request }, { payout }) => payout.listAccounts(request),
    }),
    get("getAccount", "/api/v1/transfer/accounts/:accountId", {
      summary: "Get account",
      description: "One account: what can be spent, and what is set aside; now, or as of a time.",
      query: getAccountQuery,
      data: account,
      answer: async ({ request }, { payout }) => (await payout.getAccount(request)).account,
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
        "The whole statement as a file, newest first: a column for each field of List entries, amounts digit for digit. It is as of the first line: what is written while it is sent is not in it. A file that breaks off is not whole: read it only where the answer came to its end.\n\nWhere a note would be a formula to a spreadsheet (it begins with `=`, `+`, `-` or `@`), a `'` stands before it.",
      query: entryFilters,
      data: statementFile,
      answer: ({ request }, { payout }) =>
        entriesFile((cursor) => payout.listEntries({ ...request, limit: exportPage, cursor })),
    }),
  ],
};
