import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import {
  type ListedPayout,
  ListedPayoutSchema,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { metadataOf } from "@disburse/kernel/metadata.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { PayoutDocument } from "./document.ts";
import { visibleFailure } from "./rules/failure.ts";
import { publicStatusOf, visibleReference } from "./rules/progress.ts";

/**
 * The projection of a list. A page has up to 100 payouts, and decoding documents is most of its
 * cost.
 */
export const listFields = {
  merchant_id: 1,
  account_id: 1,
  beneficiary_id: 1,
  "order.details.reference_id": 1,
  "order.details.metadata": 1,
  "order.scheduled_payout_id": 1,
  "order.batch_id": 1,
  "order.actor": 1,
  "approval.decision.by": 1,
  source: 1,
  destination: 1,
  source_minor: 1,
  receiving_minor: 1,
  beneficiary_name: 1,
  account_number_masked: 1,
  transfer_method: 1,
  progress: 1,
  created_at: 1,
  updated_at: 1,
} as const;

type OrderFields = PayoutDocument["order"];

type ListedDocument = Pick<
  PayoutDocument,
  "_id" | "approval" | Exclude<keyof typeof listFields, `${string}.${string}`>
> & {
  readonly order: Pick<OrderFields, "scheduled_payout_id" | "batch_id" | "actor"> & {
    readonly details: Pick<OrderFields["details"], "reference_id" | "metadata">;
  };
};

/** Builds the message directly from the document, which is faster than through `Payout`. */
export function listedMessage(document: ListedDocument): ListedPayout {
  const { order, progress, source, destination } = document;
  // The projection leaves only the actor of a decision. An expiry has none.
  const decision = document.approval?.decision;
  const { status, subStatus } = publicStatusOf(progress);
  const { failureCode, failureMessage, railCode, returnedReference } = visibleFailure(progress);
  return create(ListedPayoutSchema, {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    beneficiaryId: document.beneficiary_id,
    referenceId: order.details.reference_id,
    status: enumValue(PayoutStatus, status),
    subStatus: enumValue(PayoutSubStatus, subStatus),
    sourceCurrencyCode: source,
    destinationCurrencyCode: destination,
    sourceAmount: formatAmount(fromDecimal128(document.source_minor), source),
    receivingAmount: formatAmount(fromDecimal128(document.receiving_minor), destination),
    uniqueTransactionReference: visibleReference(progress),
    beneficiaryName: document.beneficiary_name,
    beneficiaryAccountNumberMasked: document.account_number_masked,
    transferMethod: document.transfer_method,
    createdAt: timestampFromDate(document.created_at),
    updatedAt: timestampFromDate(document.updated_at),
    failureCode,
    failureMessage,
    railCode,
    returnedReference,
    metadata: metadataOf(order.details.metadata),
    scheduledPayoutId: order.scheduled_payout_id ?? "",
    batchId: order.batch_id ?? "",
    createdBy: creatorMessage(order.actor),
    ...(decision && "by" in decision && { decidedBy: creatorMessage(decision.by) }),
  });
}
