import {
  type FlagField,
  type Pattern,
  type PublicBody,
  type Rule,
  singleForm,
  type TextField,
} from "../fields/field.ts";
import { lengths, metadataField, textField } from "../fields/make.ts";

/** Service interface, "Request for quote" and "Execute payout". */

const reference = { maxLength: lengths.reference } as const;

/** The maximum length of unstructured remittance information (ISO 20022 `Max140Text`). */
const remittanceMax = 140;

/**
 * Checks only the shape of a purpose code. ISO 20022 publishes new codes (`ExternalPurpose1Code`)
 * each quarter, and the banks decide which ones they accept.
 */
const purposeCode: Pattern = {
  source: "^[A-Z]{4}$",
  problem: "must be an ISO 20022 purpose code: four capital letters, such as SUPP",
};

const amount = (name: string, description: string): TextField =>
  textField(name, description, "100.10", { kind: "amount", maxLength: lengths.amount });

/** The terms of a quote, or of a payout that is quoted later. */
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
  textField(
    "beneficiary_id",
    "The beneficiary of the payment.",
    "ben_01hqz0000000000000000000ab",
    reference,
  ),
  textField("source_currency_code", "Currency of the account.", "USD", reference),
  textField("destination_currency_code", "Currency of the beneficiary.", "USD", reference),
  textField("account_id", "Account to be debited.", "acc_01hqz0000000000000000000ab", reference),
] as const;

/**
 * `POST /api/v1/transfer/rfq`. If a request has a source amount, the receiving amount is ignored
 * and not validated. The number of decimals depends on the currency, so the quote service checks
 * it.
 */
export const requestForQuote: PublicBody = singleForm({
  name: "request_for_quote",
  description:
    "The terms of a quote, with a source amount or a receiving amount. If both are set, the receiving amount is ignored.",
  fields: [...terms, metadataField],
});

const carried = [
  textField(
    "reference_id",
    "The merchant's own order reference. It need not be unique: the quote and the idempotency key prevent a second payout.",
    "order-1001",
    { required: false },
  ),
  textField(
    "remittance_information",
    "The purpose of the payment, for the beneficiary. Bank rails that carry it show it on the beneficiary's statement. Chains ignore it.",
    "Invoice 1001",
    { required: false, maxLength: remittanceMax },
  ),
  textField(
    "purpose_code",
    "Purpose of the payment for the banks, if its rail carries it: a four-letter external purpose code of ISO 20022. The bank rejects the payment if it doesn't accept the code.",
    "SUPP",
    { required: false, maxLength: 4, pattern: purposeCode },
  ),
] as const;

const allowDuplicate: FlagField = {
  name: "allow_duplicate",
  kind: "flag",
  required: false,
  description:
    "Pays even if an earlier payout has the same account or wallet, amount and `reference_id`. You need it only if your account has the duplicate guard: see `POSSIBLE_DUPLICATE`.",
  example: false,
};

const queueIfLowBalance: FlagField = {
  name: "queue_if_low_balance",
  kind: "flag",
  required: false,
  description:
    "Waits if the account has too little money, instead of `INSUFFICIENT_BALANCE`: `sub_status` `awaiting_balance`. Nothing is held. When money comes, the oldest waiting payout of the account is quoted again and paid.",
  example: false,
};

const waitingUntil = (ifAbsent: string): TextField =>
  textField(
    "expires_at",
    `The time at which it fails if the money hasn't come: ISO 8601, at most 7 days ahead. Without it, ${ifAbsent}. Only with \`queue_if_low_balance\`.`,
    "2026-12-01T09:00:00.000Z",
    { kind: "time", maxLength: lengths.time, required: false, rare: true },
  );

/** Refuses a field whose effect the merchant would expect without the flag. */
const onlyQueued = (field: string): Rule => ({
  description: `${field} needs queue_if_low_balance.`,
  when: { field: queueIfLowBalance.name, set: false },
  reads: [field],
  reports: field,
  check: (text) =>
    text(field) === "" ? undefined : `is only allowed with ${queueIfLowBalance.name}`,
});

export const executePayout: PublicBody = singleForm({
  name: "execute_payout",
  description: "The quote to pay.",
  fields: [
    textField("quote_id", "A quote of this merchant.", "qt_01hqz0000000000000000000ab", reference),
    ...carried,
    allowDuplicate,
    queueIfLowBalance,
    {
      ...amount(
        "max_source_amount",
        "The maximum amount that the account may pay, including fees, when the payout is quoted again. Not below the quote's `source_amount`, which is the default. Only with `queue_if_low_balance`.",
      ),
      required: false,
      rare: true,
    },
    waitingUntil("24 hours from now"),
    metadataField,
  ],
  rules: [onlyQueued("max_source_amount"), onlyQueued("expires_at")],
});

/**
 * `POST /api/v1/transfer/payouts/{id}/reissue`. Absent fields keep the values of the earlier
 * payout.
 */
export const reissuePayout: PublicBody = singleForm({
  name: "reissue_payout",
  description: "The fields in which the new payout differs from the earlier one.",
  fields: [
    textField(
      "beneficiary_id",
      "The beneficiary to pay instead, in the same currency, such as the same person with a corrected account.",
      "ben_01hqz0000000000000000000ab",
      { ...reference, required: false },
    ),
    {
      ...amount(
        "max_source_amount",
        "The maximum amount that the account may pay, including fees. A quote above it is refused: `AMOUNT_NOT_WITHIN_LIMITS`.",
      ),
      required: false,
    },
    textField(
      "reference_id",
      "Your own reference, instead of the earlier payout's.",
      "order-1001-b",
      {
        required: false,
      },
    ),
    allowDuplicate,
    {
      ...metadataField,
      description: `${metadataField.description} If set, this replaces the metadata of the earlier payout; otherwise the new payout has the same metadata.`,
    },
  ],
});

const maximum: TextField = {
  ...amount(
    "max_source_amount",
    "The maximum amount that the account may pay, including fees. A quote above it is not executed: the payout fails.",
  ),
  required: false,
};

/**
 * `POST /api/v1/transfer/scheduled-payouts`. The body has the fields of a quote and of its
 * execution.
 */
export const schedulePayout: PublicBody = singleForm({
  name: "schedule_payout",
  description: "A payout that is quoted and executed at a later time.",
  fields: [
    ...terms,
    { ...maximum, required: { field: "reserve", set: true } },
    {
      name: "reserve",
      kind: "flag",
      required: false,
      description:
        "If true, `max_source_amount` is held from now on, so that other payouts can't spend it.",
      example: false,
    },
    ...carried,
    textField(
      "scheduled_at",
      "The time at which the payout is created: ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. It must be in the future, at most 366 days ahead.",
      "2026-12-01T09:00:00.000Z",
      { kind: "time", maxLength: lengths.time },
    ),
    allowDuplicate,
    metadataField,
  ],
});

/**
 * The maximum number of lines, enough for a large company's payroll. All lines are checked, stored
 * and reported in one request.
 */
export const batchLinesMax = 10_000;

/** One line of a batch, as JSON or as a row of a CSV file. */
export const batchLine: PublicBody = singleForm({
  name: "batch_line",
  description: "One line of a batch, with the fields of a quote and of its execution.",
  fields: [...terms, maximum, ...carried, allowDuplicate, metadataField],
});

/** CSV columns of a batch, except the metadata columns `metadata.<key>`. */
export const batchColumns: readonly string[] = [
  ...[...terms, maximum, ...carried, allowDuplicate].map(({ name }) => name),
];

/** The columns of a batch that contain amounts. */
export const batchAmounts: readonly string[] = [...terms, maximum]
  .filter(({ kind }) => kind === "amount")
  .map(({ name }) => name);

/** Columns of the file of failed lines. An upload may keep them: they are ignored. */
export const batchNotes = ["failure_code", "failure_message"] as const;

/**
 * The maximum number of JSON keys per line. With 10,000 lines, it allows ten metadata keys per line
 * on average.
 */
export const batchLineKeysMax = batchColumns.length + 10;

/**
 * `POST /api/v1/transfer/batches`. The gateway reads lines with this table. The payout service
 * checks each line with `batchLine`, and requires at least one line.
 */
export const createBatch: PublicBody = singleForm({
  name: "create_batch",
  description: "A batch of payouts from one account.",
  fields: [
    textField("reference_id", "The merchant's own name for the batch.", "payroll-2026-12", {
      required: false,
    }),
    textField("file_name", "The name of the file with the lines.", "payroll-2026-12.csv", {
      required: false,
    }),
    textField(
      "corrects_batch_id",
      "The batch whose failed lines these lines pay again. Each line then needs the `reference_id` of a failed line of that batch that no other batch corrects.",
      "bat_01hqz0000000000000000000ab",
      { ...reference, required: false, rare: true },
    ),
    queueIfLowBalance,
    waitingUntil("24 hours after the first line began to wait"),
    {
      kind: "list",
      name: "lines",
      required: true,
      description:
        "The payouts. All have the same source account, and each has a source amount or a receiving amount.",
      maxItems: batchLinesMax,
      fields: batchLine.unselected.fields,
    },
  ],
});

export const approveBatch: PublicBody = singleForm({
  name: "approve_batch",
  description: "Approval of a batch up to a total amount.",
  fields: [
    amount(
      "max_total_amount",
      "Maximum amount that the account pays for all lines together, including fees. A line that would exceed this maximum fails.",
    ),
    textField(
      "digest",
      "`approval.digest` of the batch that you reviewed. If the batch has changed since then, the approval is refused. Without this field, the batch is approved in its current state.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      { required: false, maxLength: 64 },
    ),
  ],
});
