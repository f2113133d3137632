import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Payout as PayoutMessage,
  PayoutSchema,
  PayoutStatus as PayoutStatusMessage,
  PayoutSubStatus as PayoutSubStatusMessage,
  RailOutcome,
  type ReportRailOutcomeRequest,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Payout } from "./rules/payout.ts";
import {
  type Outcome,
  type PayoutStatus,
  type PayoutSubStatus,
  publicStatusOf,
  visibleReference,
} from "./rules/progress.ts";

const statuses = {
  initiated: PayoutStatusMessage.INITIATED,
  succeeded: PayoutStatusMessage.SUCCEEDED,
  failed: PayoutStatusMessage.FAILED,
} as const satisfies Record<PayoutStatus, PayoutStatusMessage>;

const subStatuses = {
  queued: PayoutSubStatusMessage.QUEUED,
  processing: PayoutSubStatusMessage.PROCESSING,
  unknown: PayoutSubStatusMessage.UNKNOWN,
  settled: PayoutSubStatusMessage.SETTLED,
  rejected: PayoutSubStatusMessage.REJECTED,
  returned: PayoutSubStatusMessage.RETURNED,
} as const satisfies Record<PayoutSubStatus, PayoutSubStatusMessage>;

const statusNames: Readonly<Record<PayoutStatusMessage, PayoutStatus | undefined>> = {
  [PayoutStatusMessage.UNSPECIFIED]: undefined,
  [PayoutStatusMessage.INITIATED]: "initiated",
  [PayoutStatusMessage.SUCCEEDED]: "succeeded",
  [PayoutStatusMessage.FAILED]: "failed",
};

/** The status of a filter; `undefined` for any. */
export function statusFilter(message: PayoutStatusMessage): PayoutStatus | undefined {
  return statusNames[message];
}

export function statusMessage(status: PayoutStatus): PayoutStatusMessage {
  return statuses[status];
}

export function subStatusMessage(subStatus: PayoutSubStatus): PayoutSubStatusMessage {
  return subStatuses[subStatus];
}

export function payoutMessage(payout: Payout): PayoutMessage {
  const { quote, progress } = payout;
  const { status, subStatus } = publicStatusOf(progress);
  return create(PayoutSchema, {
    id: payout.id,
    merchantId: quote.merchantId,
    accountId: quote.accountId,
    quoteId: quote.id,
    corridorId: quote.corridorId,
    beneficiaryId: quote.beneficiary.id,
    referenceId: quote.claim.referenceId,
    status: statuses[status],
    subStatus: subStatuses[subStatus],
    sourceCurrencyCode: quote.source,
    destinationCurrencyCode: quote.destination,
    sourceAmount: formatAmount(quote.sourceMinor, quote.source),
    receivingAmount: formatAmount(quote.receivingMinor, quote.destination),
    exchangeRate: quote.exchangeRate,
    totalFees: formatAmount(quote.feesMinor, quote.source),
    uniqueTransactionReference: visibleReference(progress),
    beneficiaryName: quote.beneficiary.name,
    beneficiaryAccountNumberMasked: quote.beneficiary.accountNumberMasked,
    transferMethod: quote.beneficiary.transferMethod,
    network: quote.beneficiary.network,
    version: payout.version,
    createdAt: timestampFromDate(payout.createdAt),
    updatedAt: timestampFromDate(payout.updatedAt),
  });
}

/** A hash or bank reference: printable, of bounded length. */
const transactionReference = /^[\x21-\x7e]{1,128}$/;

/** The outcome that a message tells, its reference checked. */
export function readOutcome(
  message: Pick<ReportRailOutcomeRequest, "outcome" | "transactionReference">,
): Outcome | Refused<"INVALID_REQUEST"> {
  const reference = message.transactionReference;
  switch (message.outcome) {
    case RailOutcome.SETTLED:
      return transactionReference.test(reference)
        ? { kind: "settled", reference }
        : refused(
            "INVALID_REQUEST",
            "transaction_reference: must be 1 to 128 printable characters",
          );
    case RailOutcome.REJECTED:
      return { kind: "rejected" };
    case RailOutcome.RETURNED:
      return transactionReference.test(reference)
        ? { kind: "returned", reference }
        : { kind: "returned" };
    default:
      return refused("INVALID_REQUEST", "outcome: is required");
  }
}
