import {
  ApprovalReason,
  ApprovalSchema,
  ApprovalState,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  ApprovePayoutRequestSchema,
  ListedPayoutSchema,
  type Payout,
  RejectPayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { approvePayout, rejectPayout } from "@disburse/forms/bodies/approval.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import * as f from "../../openapi/fields.ts";
import { bodyRequest, post, type Resource } from "../../openapi/route.ts";
import { decidedBy } from "./actor.ts";

export const digestExample = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/** The approval of a payout (docs/decisions/0053-control-before-payment.md). */
export const approval = f.record(
  ApprovalSchema,
  "Approval",
  "An approval that your rules ask for, or that a payout needs because the API key that executed it was revoked while it waited for balance.",
  {
    state: f.word(
      ApprovalState,
      "`waiting`, as decided, `expired` if no one decided in time, or `cancelled` with its payout.",
    ),
    reasons: f.listOf(
      "Why your rules need it; empty if the payout waited for balance when its API key was revoked.",
      f.word(ApprovalReason, "The payout's `amount`, or a `new_beneficiary`."),
    ),
    digest: f.text(
      "SHA-256 over what is approved: beneficiary, amounts, and the terms of the quote. If `reasons` is empty: the order, its maximum, and its end.",
      digestExample,
    ),
    expires_at: f.moment("When the payout is cancelled if no one has decided."),
    decided_at: f.momentOrNone("When it was decided; empty until then."),
    ...decidedBy,
    reason: f.text("Why it was rejected; otherwise empty.", ""),
  },
);

/** Routes that decide on payouts awaiting approval. Each returns the payout. */
export function approvalRoutes(payout: f.Component<Payout>): Resource["routes"] {
  return [
    post("approvePayout", "/api/v1/transfer/payouts/:payoutId/approve", {
      summary: "Approve payout",
      description:
        "Approves a payout with `sub_status` `awaiting_approval`, which is then `queued`; one that waited for balance when its API key was revoked is `awaiting_balance` again. The API key needs the scope `payout:approve`, and may not be the one that executed the payout. The beneficiary's screening, the corridor and your limits are checked again; if one of them refuses, the payout keeps waiting. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or never needed approval.\n\nYour approval rules decide which payouts need approval: see Set approval rules. The rate of the quote stays valid while the payout waits, for 24 hours by default. After that the payout is cancelled and its money is available again.",
      body: { form: approvePayout, optional: true },
      data: payout,
      scope: "payout:approve",
      refusals: [
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "STATE_NOT_REACHABLE",
        "ACCESS_FORBIDDEN",
        "INVALID_REQUEST",
        "BENEFICIARY_NOT_READY",
        "AMOUNT_NOT_WITHIN_LIMITS",
        "LIMIT_EXCEEDED",
      ],
      answer: async (call, { payout }) =>
        (await payout.approvePayout(bodyRequest(call, ApprovePayoutRequestSchema))).payout,
    }),
    post("rejectPayout", "/api/v1/transfer/payouts/:payoutId/reject", {
      summary: "Reject payout",
      description:
        "Rejects a payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`, its money available again; a webhook follows, and its quote stays used. The rules for scope and caller are those of Approve payout.",
      body: { form: rejectPayout },
      data: payout,
      scope: "payout:approve",
      refusals: [
        "RECORD_NOT_FOUND",
        "NOT_AWAITING_APPROVAL",
        "ACCESS_FORBIDDEN",
        "INVALID_REQUEST",
      ],
      answer: async (call, { payout }) =>
        (await payout.rejectPayout(bodyRequest(call, RejectPayoutRequestSchema))).payout,
    }),
  ];
}

const currency = (description: string, name: string, symbol: string) =>
  f.object(description, {
    name: f.from(
      (code: string) => findCurrency(code)?.name ?? code,
      f.text("Name of the currency.", name),
    ),
    symbol: f.from(
      (code: string) => findCurrency(code)?.symbol ?? code,
      f.text("Its symbol; the code of a crypto currency.", symbol),
    ),
  });

const decimalText = (description: string, example: string) =>
  f.text(description, example, { format: "decimal", pattern: "^-?[0-9]+([.][0-9]+)?$" });

export const amounts = f.object(
  "The amounts, as strings.",
  f.fields(ListedPayoutSchema, {
    source_amount: decimalText("Amount that the account pays, including fees.", "250.00"),
    receiving_amount: decimalText("Amount that the beneficiary receives.", "248.207250"),
    source_amount_currency: f.from(
      "sourceCurrencyCode",
      currency("Currency of the account.", "US Dollar", "$"),
    ),
    receiving_amount_currency: f.from(
      "destinationCurrencyCode",
      currency("Currency of the beneficiary.", "USD Coin", "USDC_ETH"),
    ),
  }),
);
