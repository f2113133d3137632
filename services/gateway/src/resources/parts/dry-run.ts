import { create } from "@bufbuild/protobuf";
import { BatchTermsSchema } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalReason } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  LimitLeftSchema,
  PreviewPayoutRequestSchema,
  type PreviewPayoutResponse,
  PreviewPayoutResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { ExecutePayoutRequestSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { RefusalSchema } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import * as f from "../../openapi/fields.ts";
import { bodyFields, bodyRequest, type Call, type DryRun } from "../../openapi/route.ts";

const refusal = f.object(
  "A refusal, as the operation itself would return it.",
  f.fields(RefusalSchema, {
    code: f.text("Error code, for programs.", "INSUFFICIENT_BALANCE"),
    message: f.text("Explanation, for people.", "Insufficient balance"),
    reason: f.optional(f.text("What tells apart the causes of a code.", "corridor_not_open")),
    payout_id: f.optional(f.id("po", "For `POSSIBLE_DUPLICATE`, the earlier payout.")),
  }),
);

const limit = f.object(
  "What is left of a limit before this payout.",
  f.fields(LimitLeftSchema, {
    subject: f.text("`merchant`, or `beneficiary` for the account or wallet.", "merchant"),
    window: f.text("`hour` or `day`.", "day"),
    currency_code: f.text("Source currency; empty for a number of payouts.", "USD"),
    maximum: f.text("The limit: an amount, or a number of payouts.", "10000.00"),
    left: f.text("The part that is left.", "2500.00"),
  }),
);

export const dryRun = f.record(
  PreviewPayoutResponseSchema,
  "DryRun",
  "What the operation would do at this time. Nothing was stored or held.",
  {
    would_succeed: f.from(
      ({ refusals }) => refusals.length === 0,
      f.flag("True if there is no refusal.", true),
    ),
    refusals: f.listOf("Every refusal, in the order of the checks.", refusal),
    source_currency_code: f.text("Currency of the account; empty if not known.", "USD"),
    destination_currency_code: f.text("Currency of the beneficiary; empty if not known.", "USD"),
    source_amount: f.optional(
      f.decimal("Amount that the account would pay; omitted if it can't be calculated.", "100.10"),
    ),
    total_fees: f.optional(f.decimal("The fees within it.", "0.80")),
    receiving_amount: f.optional(f.decimal("Amount that the beneficiary would get.", "99.30")),
    exchange_rate: f.optional(f.decimal("The rate.", "1")),
    approval_required: f.flag("True if your rules hold the payout for approval.", false),
    approval_reasons: f.listOf(
      "Why approval is needed.",
      f.word(ApprovalReason, "The payout's `amount`, or a `new_beneficiary`."),
    ),
    available_amount: f.optional(
      f.decimal(
        "The account's available balance; omitted if the account is not known, or without the scope `account:read`.",
        "500.00",
      ),
    ),
    would_wait: f.flag(
      "True if the payout would wait for the account's balance (`queue_if_low_balance`).",
      false,
    ),
    limits: f.listOf(
      "Your velocity limits; empty if you have none, or without the scope `account:read`.",
      limit,
    ),
  },
);

/** Builds the request of a dry run from the call of its operation. */
function previewOf({ change }: Call) {
  const { merchantId, mutation } = change;
  const { actor } = mutation;
  return create(PreviewPayoutRequestSchema, { merchantId, ...(actor && { actor }) });
}

/**
 * Removes the balance and the limits for a caller that may not read accounts. Whether an amount is
 * within them is still said, as the refusal of the operation itself would say it.
 */
function shownTo({ scopes }: Call, preview: PreviewPayoutResponse): PreviewPayoutResponse {
  return scopes.has("account:read") ? preview : { ...preview, availableAmount: "", limits: [] };
}

export const quoteDryRun: DryRun = {
  data: dryRun,
  answer: async (call, { orders }) => {
    const { fields, unreadable } = bodyFields(call, BatchTermsSchema);
    const request = { ...previewOf(call), terms: fields, unreadable };
    return shownTo(call, await orders.previewPayout(request));
  },
};

export const executeDryRun: DryRun = {
  data: dryRun,
  answer: async (call, { orders }) => {
    const execute = bodyRequest(call, ExecutePayoutRequestSchema);
    return shownTo(call, await orders.previewPayout({ ...previewOf(call), execute }));
  },
};
