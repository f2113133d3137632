import {
  type Field,
  type FlagField,
  type Pattern,
  type PublicBody,
  singleForm,
  type TextField,
} from "../fields/field.ts";
import { lengths, metadataField, textField } from "../fields/make.ts";

/** Service interface, "Request for quote" and "Execute payout". */

const reference = { maxLength: lengths.reference } as const;

/** Unstructured remittance information (ISO 20022 `Max140Text`). */
const remittanceMax = 140;

/**
 * The shape alone: ISO 20022 publishes the codes (`ExternalPurpose1Code`) anew each quarter, and
 * which of them a payment may have is decided by its banks.
 */
const purposeCode: Pattern = {
  source: "^[A-Z]{4}$",
  problem: "must be an ISO 20022 purpose code: four capital letters, such as SUPP",
};

const amount = (name: string, description: string): TextField =>
  textField(name, description, "100.10", { kind: "amount", maxLength: lengths.amount });

/** What is paid to whom, out of which account: of a quote, and of a payout that is quoted later. */
const terms = [
  {
    ...amount("source_amount", "Amount deducted from the source account."),
    required: { field: "receiving_amount", absent: true },
  },
  {
    ...amount("receiving_amount", "Amount that the recipient receives."),
    required: false,
    when: { field: "source_amount", absent: true },
  },
  textField("beneficiary_id", "Who is paid.", "ben_01hqz0000000000000000000ab", reference),
  textField("source_currency_code", "Currency of the account.", "USD", reference),
  textField("destination_currency_code", "Currency of the beneficiary.", "USD", reference),
  textField("account_id", "Account to be debited.", "acc_01hqz0000000000000000000ab", reference),
] as const;

/**
 * `POST /api/v1/transfer/rfq`. With a source amount the receiving amount is ignored, not validated.
 * How many decimals an amount may have is checked by the quote service, which knows the currencies.
 */
export const requestForQuote: PublicBody = singleForm({
  name: "request_for_quote",
  description: "One of the two amounts; the source amount takes precedence.",
  fields: [...terms, metadataField],
});

/** What a payout carries along. */
const carried = [
  textField(
    "reference_id",
    "The merchant's own order reference. It need not be unique: the quote and the idempotency key keep a payout from being made twice.",
    "order-1001",
    { required: false },
  ),
  textField(
    "remittance_information",
    "What the payment is for, for the beneficiary: on the statement of a bank account, where its rail carries it. Ignored on chains.",
    "Invoice 1001",
    { required: false, maxLength: remittanceMax },
  ),
  textField(
    "purpose_code",
    "Purpose of the payment for the banks, where its rail carries it: four letters of ISO 20022's external purpose codes. A code that a bank does not take is its rejection.",
    "SUPP",
    { required: false, maxLength: 4, pattern: purposeCode },
  ),
] as const;

const allowDuplicate: FlagField = {
  name: "allow_duplicate",
  kind: "flag",
  required: false,
  description:
    "Pays although an earlier payout has the same account or wallet, amount and `reference_id`. It is asked for where your account has a guard against duplicates: see `POSSIBLE_DUPLICATE`.",
  example: true,
};

/** `POST /api/v1/transfer/execute`. */
export const executePayout: PublicBody = singleForm({
  name: "execute_payout",
  description: "The quote to pay.",
  fields: [
    textField("quote_id", "A quote of this merchant.", "qt_01hqz0000000000000000000ab", reference),
    ...carried,
    allowDuplicate,
    metadataField,
  ],
});

/** `POST /api/v1/transfer/payouts/{id}/reissue`. What is left out is as of the payout before. */
export const reissuePayout: PublicBody = singleForm({
  name: "reissue_payout",
  description: "What is to be different from the payout that is paid again.",
  fields: [
    textField(
      "beneficiary_id",
      "Whom to pay instead, such as the same person with a corrected account: of the same currency.",
      "ben_01hqz0000000000000000000ab",
      { ...reference, required: false },
    ),
    {
      ...amount(
        "max_source_amount",
        "The most that the account may pay, fees included. A quote above it is refused: `AMOUNT_NOT_WITHIN_LIMITS`.",
      ),
      required: false,
    },
    textField("reference_id", "Your own reference, in place of the one before.", "order-1001-b", {
      required: false,
    }),
    allowDuplicate,
    {
      ...metadataField,
      description: `${metadataField.description} In place of the metadata before; without it those stay.`,
    },
  ],
});

/** What a payout that is quoted later may cost. */
const maximum: TextField = {
  ...amount(
    "max_source_amount",
    "The most that the account may pay, fees included. A quote above it is not executed: the payout fails.",
  ),
  required: false,
};

/** `POST /api/v1/transfer/scheduled-payouts`: the fields of a quote and of its execution. */
export const schedulePayout: PublicBody = singleForm({
  name: "schedule_payout",
  description: "A payout to be quoted and made at a time.",
  fields: [
    ...terms,
    maximum,
    ...carried,
    textField(
      "scheduled_at",
      "When it is made: ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. In the future, at most 366 days ahead.",
      "2026-12-01T09:00:00.000Z",
      { kind: "time", maxLength: lengths.time },
    ),
    allowDuplicate,
    metadataField,
  ],
});

/** A payroll of a large company; its lines are checked, stored and reported within a request. */
export const batchLinesMax = 10_000;

/** One line of a batch, as a row of a CSV file has it too. */
export const batchLine: PublicBody = singleForm({
  name: "batch_line",
  description: "One payout of a batch: the fields of a quote and of its execution.",
  fields: [...terms, maximum, ...carried, allowDuplicate, metadataField],
});

/** The columns of a CSV file of a batch, but for those of metadata: `metadata.<key>`. */
export const batchColumns: readonly string[] = [
  ...[...terms, maximum, ...carried, allowDuplicate].map(({ name }) => name),
];

/** Keys of a line, with its metadata: what 10,000 lines have on an average. */
export const batchLineKeysMax = batchColumns.length + 10;

/** The same within a list, where conditions on other fields of the line are the check's alone. */
const lineFields = batchLine.unselected.fields.map((field) => {
  const { when: _, ...rest } = field;
  return field.name === "source_amount" ? { ...rest, required: false } : rest;
}) as readonly Field[];

/**
 * `POST /api/v1/transfer/batches`. The edge reads its lines by this table; payout checks each of
 * them by `batchLine`, and that there is one at least.
 */
export const createBatch: PublicBody = singleForm({
  name: "create_batch",
  description: "Payouts out of one account.",
  fields: [
    textField("reference_id", "The merchant's own name for the batch.", "payroll-2026-12", {
      required: false,
    }),
    {
      kind: "list",
      name: "lines",
      required: true,
      description: "The payouts, all out of the same account, each with one of the two amounts.",
      maxItems: batchLinesMax,
      fields: lineFields,
    },
  ],
});

/** `POST /api/v1/transfer/batches/{id}/approve`. */
export const approveBatch: PublicBody = singleForm({
  name: "approve_batch",
  description: "What the batch may cost.",
  fields: [
    amount(
      "max_total_amount",
      "The most that the account may pay for all lines together, fees included. A line that would exceed it fails.",
    ),
    textField(
      "digest",
      "`approval.digest` of the batch as you have read it: another one is refused. Without it the batch is approved as it is.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      { required: false, maxLength: 64 },
    ),
  ],
});
