import {
  BatchApprovalSchema,
  BatchLineSchema,
  BatchLineState,
  BatchSchema,
  BatchState,
  BatchTotalSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { metadataField } from "@disburse/forms/fields/make.ts";
import * as f from "../../openapi/fields.ts";
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
  decided_by: f.from(
    ({ decidedBy }) => decidedBy?.id ?? "",
    f.text("Id of the API key or person that decided; otherwise empty.", ""),
  ),
  reason: f.text("Why it was rejected; otherwise empty.", ""),
  expires_at: f.momentOrNone(
    "For a batch that was held, when its unpaid lines fail with `APPROVAL_EXPIRED` if no one has decided; otherwise empty.",
  ),
});

export const batch = f.record(BatchSchema, "Batch", "Many payouts out of one account.", {
  id: f.id("bat", "Batch id."),
  reference_id: f.text("Your own name for it; empty if none was given.", "payroll-2026-12"),
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
  finished_at: f.momentOrNone("When it was finished; empty before."),
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
        "Status of its payout. Until the payout is created, `initiated` while its batch awaits approval, otherwise omitted.",
      ),
    ),
  ),
  sub_status: f.from(
    "subStatus",
    f.optional(
      f.word(PayoutSubStatus, "Sub-status of its payout, or `awaiting_approval` with its batch."),
    ),
  ),
  failure_code: f.text(
    "Reason why no payout was created (the code that refused its quote or execution, `COST_ABOVE_MAXIMUM`, `BATCH_TOTAL_EXCEEDED`, `APPROVAL_EXPIRED`) or why its payout failed; otherwise empty.",
    "",
  ),
  failure_message: f.text("The failure code as an English sentence.", ""),
  metadata: f.pairs("Your own data of the line, which its payout gets.", metadataField.example),
  updated_at: f.moment("When it last changed."),
});
