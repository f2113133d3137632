import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import {
  ApprovalReason,
  type ApprovalSchema,
  ApprovalState,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  type Payout as PayoutMessage,
  PayoutSchema,
  PayoutStatus,
  PayoutSubStatus,
  RailOutcome,
  type ReportRailOutcomeRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Outcome } from "@disburse/rail/report.ts";
import type { Approval } from "./rules/approval.ts";
import { approvalState } from "./rules/deciding.ts";
import { visibleFailure } from "./rules/failure.ts";
import type { Payout } from "./rules/payout.ts";
import { publicStatusOf, visibleReference } from "./rules/progress.ts";

export function payoutMessage(payout: Payout): PayoutMessage {
  const { quote, order, progress } = payout;
  const { beneficiary } = quote;
  const { status, subStatus } = publicStatusOf(progress);
  return create(PayoutSchema, {
    id: payout.id,
    merchantId: quote.merchantId,
    accountId: quote.accountId,
    quoteId: quote.id,
    corridorId: quote.corridorId,
    beneficiaryId: beneficiary.id,
    referenceId: order.details.referenceId,
    status: enumValue(PayoutStatus, status),
    subStatus: enumValue(PayoutSubStatus, subStatus),
    sourceCurrencyCode: quote.source,
    destinationCurrencyCode: quote.destination,
    sourceAmount: formatAmount(quote.sourceMinor, quote.source),
    receivingAmount: formatAmount(quote.receivingMinor, quote.destination),
    receivingFixed: quote.isReceivingFixed,
    totalFees: formatAmount(quote.feesMinor, quote.source),
    exchangeRate: quote.exchangeRate,
    uniqueTransactionReference: visibleReference(progress),
    beneficiaryName: beneficiary.name,
    beneficiaryAccountNumberMasked: beneficiary.accountNumberMasked,
    transferMethod: beneficiary.transferMethod,
    network: beneficiary.network,
    version: payout.version,
    metadata: order.details.metadata ?? {},
    reissueOf: quote.reissueOf ?? "",
    reissuedAs: payout.reissuedAs ?? "",
    scheduledPayoutId: order.scheduledPayoutId ?? "",
    batchId: order.batchId ?? "",
    createdBy: creatorMessage(order.actor),
    ...(payout.approval && { approval: approvalMessage(payout, payout.approval) }),
    ...visibleFailure(progress),
    ...(payout.expectedAt !== undefined &&
      status !== "failed" && { expectedSettlementAt: timestampFromDate(payout.expectedAt) }),
    createdAt: timestampFromDate(payout.createdAt),
    updatedAt: timestampFromDate(payout.updatedAt),
  });
}

function approvalMessage(
  payout: Payout,
  approval: Approval,
): MessageInitShape<typeof ApprovalSchema> {
  const { reasons, digest, expiresAt, decision } = approval;
  const decided = decision && {
    decidedAt: timestampFromDate(decision.at),
    ...("by" in decision && {
      decidedBy: { kind: enumValue(Actor_Kind, decision.by.kind), id: decision.by.id },
    }),
    ...("reason" in decision && { reason: decision.reason }),
  };
  return {
    state: enumValue(ApprovalState, approvalState(payout)),
    reasons: reasons.map((reason) => enumValue(ApprovalReason, reason)),
    digest,
    expiresAt: timestampFromDate(expiresAt),
    ...decided,
  };
}

/** The form of a transaction hash or bank reference: printable, with a limited length. */
const transactionReference = /^[\x21-\x7e]{1,128}$/;

/** Reads an outcome from a request and validates its reference. */
export function readOutcome(
  message: Pick<ReportRailOutcomeRequest, "outcome" | "transactionReference">,
): Outcome | Refused<"INVALID_REQUEST"> {
  const { transactionReference: reference } = message;
  const isReference = transactionReference.test(reference);
  const kind = enumName(RailOutcome, message.outcome);
  if (kind === undefined) return refused("INVALID_REQUEST", "outcome: is required");
  if (kind === "rejected" || (kind === "returned" && !isReference)) return { kind };
  if (isReference) return { kind, reference };
  const problem = "must be 1 to 128 printable characters";
  return refused("INVALID_REQUEST", `transaction_reference: ${problem}`);
}
