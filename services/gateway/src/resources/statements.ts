import { Readable } from "node:stream";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import {
  GetPayoutReceiptResponseSchema,
  PayoutReceiptSchema,
  ReceiptEntrySchema,
  RenderStatementRequestSchema,
  type RenderStatementResponse,
  StatementFormat,
} from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { type FileFormat, get, type Resource } from "../openapi/route.ts";

const query = q.queryOf(RenderStatementRequestSchema, {
  from: q.bound(
    "Lines booked at or after this time; by default, all since the account was opened.",
  ),
  to: q.bound("Lines booked before this time; by default, or if it is in the future, now."),
  format: q.word(StatementFormat, "File format; `csv` by default."),
});

const camt: FileFormat = {
  mediaType: "application/xml",
  name: "statement.xml",
  description: "",
  example: '<?xml version="1.0" encoding="UTF-8"?>\n',
};
const pdf: FileFormat = {
  mediaType: "application/pdf",
  name: "statement.pdf",
  description: "",
  example: "%PDF-1.3\n",
};

const csvColumns =
  "type,booked_at,amount,fees,balance,currency,payout_id,reference_id,beneficiary_name,note,sequence,entry_id,previous_hash,hash,reissue_of,reissued_as";

const statement: FileFormat = {
  mediaType: "text/csv",
  name: "statement.csv",
  description: "The statement in the requested format.",
  example: `${csvColumns}\r\n`,
  formats: { camt053: camt, pdf },
};

/** Deadline for each part. The whole file has no deadline. */
const partTimeoutMs = 10_000;

type LoadPart = (cursor: string) => Promise<RenderStatementResponse>;

/**
 * Streams a file. Each part is generated when the reader has read the previous one. The first part
 * is generated before the response starts, so that a refusal gets its usual status.
 */
async function partsFile(load: LoadPart): Promise<Readable> {
  const context = { requestId: "", ...callContext() };
  const loadInTime: LoadPart = (cursor) =>
    withCallContext({ ...context, deadlineMs: Date.now() + partTimeoutMs }, () => load(cursor));
  return Readable.from(partsOf(await load(""), loadInTime), { objectMode: false });
}

async function* partsOf(first: RenderStatementResponse, load: LoadPart) {
  yield first.chunk;
  for (let { nextCursor } = first; nextCursor !== ""; ) {
    const part = await load(nextCursor);
    yield part.chunk;
    ({ nextCursor } = part);
  }
}

export const exportStatement = get(
  "exportStatement",
  "/api/v1/transfer/accounts/:accountId/statements",
  {
    summary: "Export statement",
    description:
      "Lists the changes of an account's balance in a period, oldest first: credits, payouts, returns and reversals. The balance includes money held for payouts in progress, so a hold doesn't change it. The opening balance and the lines add up to the closing balance, to the last digit; a period without lines has two equal balances.\n\n`csv`: a row for the opening balance, one for each line, one for the closing balance. `camt053`: camt.053.001.08 of ISO 20022, for accounts in USD, EUR and INR. `pdf`: at most 2,000 lines. A download that breaks off is incomplete: use the file only if the response ended normally.",
    query,
    data: statement,
    answer: ({ request }, { statements }) =>
      partsFile((cursor) => statements.renderStatement({ ...request, cursor })),
  },
);

const digits = (description: string, example: string) => f.text(description, example);
const time = (description: string) => f.text(description, "2026-11-20T11:26:00.123Z");

const receiptEntry = f.record(
  ReceiptEntrySchema,
  "ReceiptEntry",
  "A movement of the payout's money: a link of the account's chain.",
  {
    id: f.text("Id of the entry.", "po_01hqz0000000000000000000ab:post"),
    step: f.text("`hold`, `post`, `release` or `return`.", "post"),
    sequence: digits("Number within the account.", "12"),
    amount: digits("Amount of the movement.", "250.00"),
    created_at: time("When it was written."),
    previous_hash: f.text("`hash` of the account's previous entry.", "…"),
    hash: f.text(
      "`hash` of the entry, as the account's statement has it.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
  },
);

const receipt = f.record(
  PayoutReceiptSchema,
  "PayoutReceipt",
  "The outcome of a payout. Every value is text, so that it is signed and checked digit for digit.",
  {
    payout_id: f.id("po", "Payout id."),
    merchant_id: f.id("mer", "Merchant of the payout."),
    account_id: f.id("acc", "Account that paid it."),
    reference_id: f.text("The merchant's own reference.", "order-1001"),
    status: f.text("`initiated`, `succeeded` or `failed`.", "succeeded"),
    sub_status: f.text("As of Get payout.", "settled"),
    source_currency_code: f.text("Currency of the account.", "USD"),
    source_amount: digits("Amount that the account paid, including fees.", "250.00"),
    total_fees: digits("Total fees.", "1.75"),
    exchange_rate: digits("Destination units per one source unit.", "0.9998"),
    destination_currency_code: f.text("Currency of the beneficiary.", "USDC_ETH"),
    receiving_amount: digits("Amount that the beneficiary receives.", "248.207250"),
    beneficiary_id: f.id("ben", "The beneficiary of the payment."),
    beneficiary_name: f.text("Name of the beneficiary.", "Ada Lovelace"),
    beneficiary_name_latin: f.from(
      (its) => its.beneficiaryNameLatin || undefined,
      f.optional(
        f.text("Name in Latin letters that the bank got, if you gave one.", "Ada Lovelace"),
      ),
    ),
    beneficiary_account_number_masked: f.text("Masked but for the last four.", "…9EE7"),
    transfer_method: f.text("`CRYPTO`, `SWIFT`, `ACH`, `LOCAL` or `SEPA`.", "CRYPTO"),
    network: f.text("Network of a crypto payout; otherwise empty.", "ETHEREUM"),
    unique_transaction_reference: f.text("Hash or bank reference; empty unless succeeded.", "0x…"),
    returned_reference: f.text("Reference of the returned payment; otherwise empty.", ""),
    failure_code: f.text("Why it failed, else empty.", ""),
    reissue_of: f.from(
      (its) => its.reissueOf || undefined,
      f.optional(f.id("po", "The payout that this one pays again; omitted for none.")),
    ),
    reissued_as: f.from(
      (its) => its.reissuedAs || undefined,
      f.optional(f.id("po", "The payout that pays this one again; omitted for none.")),
    ),
    created_at: time("When it was created."),
    updated_at: time("When it changed last."),
    issued_at: time("When the receipt was created."),
    ledger: f.listOf("Movements of its money, oldest first.", f.ref(receiptEntry)),
  },
);

const signedReceipt = f.record(
  GetPayoutReceiptResponseSchema,
  "SignedReceipt",
  "A receipt and its signature.",
  {
    receipt: f.ref(receipt),
    key_id: f.text(
      "Id of the key in `/.well-known/disburse-keys.json` that signed it.",
      "payout.3q2-7wEJ",
    ),
    signature: f.text(
      "Ed25519, in base64url, over `disburse payout receipt 1`, a line break, and `receipt` in the canonical form of JSON (RFC 8785).",
      "kpmqYDTDFeZYw2yhkCdBn0vNf1mOXnGzpNLWHRUsbcdPB6dcPq1p1y0dvJXJ8mdU7QhKqZ0jVGiWA5wUV6kfDA",
    ),
  },
);

const getPayoutReceipt = get("getPayoutReceipt", "/api/v1/transfer/payouts/:payoutId/receipt", {
  summary: "Get receipt",
  description:
    "Returns a signed record of the payout's outcome so far. You can check it without us: `npx disburse verify receipt.json`, or `verifyReceipt` of the SDK, with the public keys of `/.well-known/disburse-keys.json`. It names the entries of the account's ledger by their hashes, which the account's statement has too.",
  data: signedReceipt,
  answer: ({ request }, { statements }) => statements.getPayoutReceipt(request),
});

const receiptFile: FileFormat = {
  mediaType: "application/pdf",
  name: "receipt.pdf",
  description: "The human-readable receipt, with the signed `receipt.json` attached.",
  example: "%PDF-1.3\n",
};

const getPayoutReceiptPdf = get(
  "getPayoutReceiptPdf",
  "/api/v1/transfer/payouts/:payoutId/receipt.pdf",
  {
    summary: "Get receipt (PDF)",
    description: "The human-readable receipt of a payout, with the signed `receipt.json` attached.",
    data: receiptFile,
    answer: async ({ request }, { statements }) => {
      const { pdf: bytes } = await statements.getPayoutReceipt({ ...request, pdf: true });
      return Readable.from([bytes], { objectMode: false });
    },
  },
);

export const receipts: Resource = {
  scope: "payout",
  tag: "Payouts",
  components: [receiptEntry, receipt, signedReceipt],
  routes: [getPayoutReceipt, getPayoutReceiptPdf],
};
