import {
  type Payout,
  ReissuePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { reissuePayout } from "@disburse/forms/bodies/transfer.ts";
import type * as f from "../../openapi/fields.ts";
import { bodyRequest, post, type Resource } from "../../openapi/operation.ts";

/** Pays a payout again (docs/decisions/0062-reissue.md); it answers with the new one. */
export function reissueOperation(payout: f.Component<Payout>): Resource["operations"][number] {
  return post("reissuePayout", "/api/v1/transfer/payouts/:payoutId/reissue", {
    summary: "Reissue payout",
    description:
      "Pays a payout again that is `failed` with `sub_status` `returned` or `rejected`, once: a new quote for the same account, currencies and amount (the source or the receiving amount, whichever you had asked for) is made and executed at once. The answer is the new payout, whose `reissue_of` names the one before; that has its `reissued_as`. Repeating the request has the same answer; another request is `ALREADY_PROCESSED`, with the new payout as `payout_id`.\n\nWithout a body the payout is as it was, at the rate of now. Send `beneficiary_id` to pay a corrected account, `max_source_amount` to bound its cost, `reference_id` or `metadata` to change yours. Beneficiary, corridor, limits, balance, approval rules and the guard against duplicates count as for Execute payout; the payout before is no duplicate. After a refusal it can be reissued still.\n\n`SERVICE_UNAVAILABLE` is also returned while another request reissues the same payout: repeat it.\n\nIn the sandbox a payout with a `reference_id` such as `sandbox-return` is returned again: send another one.",
    body: { form: reissuePayout, optional: true },
    data: payout,
    refusals: [
      "INVALID_REQUEST",
      "RECORD_NOT_FOUND",
      "ALREADY_PROCESSED",
      "ACCESS_FORBIDDEN",
      "BENEFICIARY_NOT_READY",
      "CORRIDOR_NOT_ACTIVE",
      "AMOUNT_NOT_WITHIN_LIMITS",
      "POSSIBLE_DUPLICATE",
      "LIMIT_EXCEEDED",
      "INSUFFICIENT_BALANCE",
      "QUOTE_EXPIRED",
    ],
    answer: async (call, { payout }) =>
      (await payout.reissuePayout(bodyRequest(call, ReissuePayoutRequestSchema))).payout,
  });
}
