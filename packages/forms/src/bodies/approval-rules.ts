import { type ListField, type PublicBody, singleForm } from "../fields/field.ts";
import { lengths, textField } from "../fields/make.ts";

/** The maximum number of amounts. There are fewer currencies in which merchants have accounts. */
const amountsMax = 50;

const amounts: ListField = {
  kind: "list",
  name: "amounts",
  required: false,
  description: "Amounts from which payouts await approval, at most one for each source currency.",
  maxItems: amountsMax,
  fields: [
    textField("currency_code", "Source currency of the payouts.", "USD", {
      maxLength: lengths.reference,
    }),
    textField("minimum", "Payouts of this amount or more await approval.", "5000.00", {
      kind: "amount",
      maxLength: lengths.amount,
    }),
    {
      name: "window_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: 86_400,
      example: 3_600,
      description:
        "Number of seconds within which payouts to one account, or by one actor, add up towards `minimum`; by default each payout counts alone.",
    },
  ],
};

/** `POST /api/v1/approval-rules`. The payout service checks the amounts. */
export const setApprovalRules: PublicBody = singleForm({
  name: "set_approval_rules",
  description: "The rules. They replace all present ones; a rule that the body omits is off.",
  fields: [
    amounts,
    {
      name: "new_beneficiary_days",
      kind: "integer",
      required: false,
      min: 0,
      max: 365,
      example: 3,
      description: "Payouts await approval if their beneficiary is newer than this number of days.",
    },
    {
      name: "approve_batches",
      kind: "flag",
      required: false,
      example: true,
      description: "True if an actor other than its creator must approve a batch.",
    },
    {
      name: "approval_lasts_seconds",
      kind: "integer",
      required: false,
      min: 60,
      max: 604_800,
      example: 86_400,
      description:
        "Number of seconds after which an undecided approval expires; 86,400 by default.",
    },
  ],
});

export const approveProposal: PublicBody = singleForm({
  name: "approve_proposal",
  description: "Approval of a proposal.",
  fields: [
    textField(
      "digest",
      "`digest` of the proposal that you read. Of another proposal, or if the rules have changed since, the approval is refused.",
      "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
      { maxLength: 64 },
    ),
  ],
});

export const rejectProposal: PublicBody = singleForm({
  name: "reject_proposal",
  description: "Rejection of a proposal.",
  fields: [
    textField("reason", "Why, in 10 characters or more.", "Not agreed with the finance team"),
  ],
});
