import {
  BatchApprovalSchema,
  BatchLineSchema,
  BatchLineState,
  BatchSchema,
  BatchState,
  BatchTotalSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  BatchProblemSchema,
  ValidateBatchResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import * as f from "../../openapi/fields.ts";
import { createdBy, decidedBy } from "./actor.ts";
import { digestExample } from "./payouts.ts";

const total = f.object(
  "A sum of lines that fix the same side's amount.",
  f.fields(BatchTotalSchema, {
    currency_code: f.text("Currency of the amount.", "USD"),
    amount: f.decimal("The sum.", "100.10"),
    lines: f.whole("Number of lines.", 1),
  }),
);

/** The decision on a batch (docs/decisions/0053-control-before-payment.md). */
export const approval = f.record(BatchApprovalSchema, "BatchApproval", "The decision on a batch.", {
  state: f.word(
    ApprovalState,
    "`waiting`, `approved`, `rejected`, or `cancelled` before anyone decided. `expired`: of a batch that was held, because the API key that made or approved it was revoked or its person removed; no other expires.",
  ),
  by_another: f.flag(
    "True if an actor other than the batch's creator must decide, because your rules require it or the batch was held.",
    false,
  ),
  digest: f.text("SHA-256 of the approved content: the account and the lines.", digestExample),
  decided_at: f.momentOrNone("When it was decided; empty until then."),
  ...decidedBy,
  reason: f.text("Why it was rejected; otherwise empty.", ""),
  expires_at: f.momentOrNone(
    "For a batch that was held, when its unpaid lines fail with `APPROVAL_EXPIRED` if no one has decided; otherwise empty.",
  ),
});

export const batchNames = {
  reference_id: f.text("Your own name for it; empty if none was given.", "payroll-2026-12"),
  file_name: f.text("Name of the file with its lines; empty if none was given.", "payroll.csv"),
  corrects_batch_id: f.text(
    "The batch whose failed lines this batch pays again; empty for none.",
    "",
  ),
} as const;

export const batch = f.record(BatchSchema, "Batch", "Many payouts out of one account.", {
  id: f.id("bat", "Batch id."),
  ...batchNames,
  state: f.word(
    BatchState,
    "`awaiting_approval`: nothing is paid yet, or of a batch that was held nothing more. `running`: its payouts are being made. `finished`: every line has its payout, failed or was cancelled. `cancelled`: before it was approved, or rejected; one that was held after payouts of it were made is `finished` instead.",
  ),
  account_id: f.id("acc", "Account that pays."),
  source_currency_code: f.text("Currency of the account.", "USD"),
  line_count: f.whole("Number of lines.", 1),
  source_total: f.from("sourceTotal", f.optional<Parameters<typeof total.write>[0]>(total)),
  receiving_totals: f.listOf("Totals of the lines with a receiving amount, by currency.", total),
  max_total_amount: f.optional(
    f.decimal("The maximum cost of all lines together; omitted before the approval.", "101.00"),
  ),
  total_amount: f.decimal("Cost of its payouts so far, including fees.", "0.00"),
  waiting_count: f.whole("Lines whose payout is not created yet.", 1),
  executed_count: f.whole("Lines whose payout was created.", 0),
  failed_count: f.whole("Lines for which no payout could be created.", 0),
  cancelled_count: f.whole("Lines that were cancelled.", 0),
  approved_at: f.momentOrNone("When it was approved; empty before."),
  approval: f.ref(approval),
  queue_if_low_balance: f.flag("True if lines wait when the account has too little money.", false),
  expires_at: f.momentOrNone("When lines that wait for balance fail; empty until it is known."),
  finished_at: f.momentOrNone("When it was finished; empty before."),
  ...createdBy,
  ...f.recordTimes,
});

export const line = f.record(BatchLineSchema, "BatchLine", "One payout of a batch.", {
  number: f.whole("Its place in the batch, from 1.", 1, { minimum: 1 }),
  state: f.word(
    BatchLineState,
    "`executed`: its payout is made, and `status` says what became of it. `failed`: no payout was made.",
  ),
  beneficiary_id: f.id("ben", "The beneficiary of the payment."),
  source_currency_code: f.text("Currency of the account.", "USD"),
  destination_currency_code: f.text("Currency of the beneficiary.", "USD"),
  source_amount: f.optional(
    f.decimal(
      "Amount that the account pays, as ordered or as quoted; omitted until known.",
      "100.10",
    ),
  ),
  receiving_amount: f.optional(
    f.decimal("Amount that the beneficiary receives; omitted until known.", "99.30"),
  ),
  reference_id: f.text("Your own reference; empty if none was given.", "salary-17"),
  payout_id: f.text("Its payout; empty until it is created.", ""),
  status: f.from(
    "status",
    f.optional(
      f.word(
        PayoutStatus,
        "Status of its payout. Until the payout is created, `initiated` while its batch awaits approval or the line waits for balance, otherwise omitted.",
      ),
    ),
  ),
  sub_status: f.from(
    "subStatus",
    f.optional(
      f.word(
        PayoutSubStatus,
        "Sub-status of its payout, or `awaiting_approval` with its batch. `awaiting_balance`: the line, or one before it, waits for the balance of the account.",
      ),
    ),
  ),
  failure_code: f.text(
    "Reason why no payout was created (the code that refused its quote or execution, `COST_ABOVE_MAXIMUM`, `BATCH_TOTAL_EXCEEDED`, `APPROVAL_EXPIRED`) or why its payout failed; otherwise empty.",
    "",
  ),
  failure_message: f.text("The failure code as an English sentence.", ""),
  corrected_by_batch_id: f.text(
    "The batch that pays this failed line again; empty if none does.",
    "",
  ),
  metadata: f.pairs("Your own data of the line, which its payout gets.", metadataField.example),
  updated_at: f.moment("When it last changed."),
});

const problem = f.object(
  "A problem of the batch or of some of its lines.",
  f.fields(BatchProblemSchema, {
    code: f.text(
      "`INVALID_REQUEST` if Create batch refuses the batch for it. Otherwise the code with which the line would fail.",
      "BENEFICIARY_NOT_READY",
    ),
    field: f.from(
      ({ violation }) => violation?.field ?? "",
      f.text("The field to correct, or the line as a whole.", "lines[0].beneficiary_id"),
    ),
    message: f.from(
      ({ violation }) => violation?.problem ?? "",
      f.text("Explanation, for people.", "The beneficiary is being screened."),
    ),
    row: f.from(
      ({ violation }) => violation?.lines?.rows[0],
      f.optional(f.whole("Of a file: the row; the header is row 1.", 2)),
    ),
    reference_id: f.from(
      ({ violation }) => violation?.lines?.referenceId,
      f.optional(f.text("The line's own reference.", "salary-17")),
    ),
    lines: f.from(
      ({ violation }) => violation?.lines?.numbers,
      f.optional(
        f.listOf(
          "The numbers of all lines with the problem, at most 100.",
          f.whole("Number of a line, from 1.", 1),
        ),
      ),
    ),
    rows: f.from(
      ({ violation }) => violation?.lines?.rows,
      f.optional(f.listOf("Of a file: the rows of these lines.", f.whole("Row of the file.", 2))),
    ),
    line_count: f.from(
      ({ violation }) => violation?.lines?.count,
      f.optional(f.whole("The number of all lines with the problem.", 1)),
    ),
    reason: f.optional(f.text("What tells apart the causes of a code.", "beneficiary_not_cleared")),
    payout_id: f.optional(f.id("po", "For `POSSIBLE_DUPLICATE`, the earlier payout.")),
  }),
);

export const validation = f.record(
  ValidateBatchResponseSchema,
  "BatchValidation",
  "What would happen to a batch at this time. Nothing was stored or held.",
  {
    valid: f.from(
      ({ problemCount }) => problemCount === 0,
      f.flag("True if there is no problem.", true),
    ),
    line_count: f.whole("Number of lines.", 1),
    payable_count: f.whole("Lines without a problem.", 1),
    problem_count: f.whole("Number of all problems.", 0),
    problems: f.listOf(
      "Each problem once, with its lines: the first hundred, with at least one of each kind.",
      problem,
    ),
    source_currency_code: f.text("Currency of the account; empty if not known.", "USD"),
    total_amount: f.optional(
      f.decimal("Cost of all lines that could be priced, including fees.", "100.10"),
    ),
    total_fees: f.optional(f.decimal("The fees within it.", "0.80")),
    receiving_totals: f.listOf("What the beneficiaries would get, by currency.", total),
    available_amount: f.optional(
      f.decimal(
        "The account's available balance; omitted without the scope `account:read`.",
        "500.00",
      ),
    ),
    balance_sufficient: f.flag("True if the balance covers `total_amount`.", true),
    approval_by_another: f.flag(
      "True if your rules require approval by another actor than the creator of the batch.",
      false,
    ),
    approval_count: f.whole(
      "Payouts that your rules hold for approval if the creator of the batch approves it.",
      0,
    ),
  },
);
