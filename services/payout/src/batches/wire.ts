import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import {
  type Batch,
  type BatchApprovalSchema,
  type BatchLine,
  BatchLineSchema,
  BatchLineState,
  BatchSchema,
  BatchState,
  type BatchTermsSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type OrderDocument, type Orders, toOrder } from "../orders/document.ts";
import { knownAmounts, type OrderState, type OrderTerms } from "../orders/rules/order.ts";
import { outcomeFields, payoutsOf } from "../orders/wire.ts";
import type { Payouts } from "../payouts/document.ts";
import { batchOfLine } from "./corrections.ts";
import { type BatchDocument, toTotal } from "./document.ts";
import type { FixedTotal } from "./rules/batch.ts";
import { type Standing, standingOf } from "./store.ts";

/** Builds a batch's message with its progress. */
export async function batchMessage(lines: Orders, batch: BatchDocument): Promise<Batch> {
  const { counts, total } = await progressOf(lines, batch);
  const { approval, currency, source_total: source } = batch;
  const max = approval && fromDecimal128(approval.max_total_minor);
  return create(BatchSchema, {
    id: batch._id,
    merchantId: batch.merchant_id,
    referenceId: batch.reference_id,
    fileName: batch.file_name ?? "",
    correctsBatchId: batch.corrects ?? "",
    state: enumValue(BatchState, batch.state),
    accountId: batch.account_id,
    sourceCurrencyCode: currency,
    lineCount: batch.line_count,
    ...(source && { sourceTotal: totalMessage(toTotal(source)) }),
    receivingTotals: batch.receiving_totals.map((each) => totalMessage(toTotal(each))),
    maxTotalAmount: max === undefined ? "" : formatAmount(max, currency),
    totalAmount: formatAmount(total, currency),
    waitingCount: counts.waiting,
    executedCount: counts.executed,
    failedCount: counts.failed,
    cancelledCount: counts.cancelled,
    ...(approval && { approvedAt: timestampFromDate(approval.at) }),
    ...(batch.finished_at && { finishedAt: timestampFromDate(batch.finished_at) }),
    createdAt: timestampFromDate(batch.created_at),
    updatedAt: timestampFromDate(batch.updated_at),
    approval: approvalMessage(batch),
    createdBy: creatorMessage(batch.actor),
    queueIfLowBalance: batch.queue !== undefined,
    ...expiryOf(batch),
  });
}

/** Returns the time at which waiting lines fail, if it is known. */
function expiryOf({ queue, balance }: BatchDocument) {
  const at = balance?.expires_at ?? queue?.expires_at;
  return at && { expiresAt: timestampFromDate(at) };
}

function approvalMessage(batch: BatchDocument): MessageInitShape<typeof BatchApprovalSchema> {
  const { approval, rejection, digest, by_another: byAnother = false, held, expired_at } = batch;
  const decision = approval ?? rejection;
  const ended = expired_at === undefined ? "cancelled" : "expired";
  const undecided = batch.state === "awaiting_approval" ? "waiting" : ended;
  const state = approval ? "approved" : rejection ? "rejected" : undecided;
  return {
    state: enumValue(ApprovalState, state),
    byAnother,
    digest,
    ...(decision && {
      decidedAt: timestampFromDate(decision.at),
      decidedBy: { kind: enumValue(Actor_Kind, decision.actor.kind), id: decision.actor.id },
    }),
    reason: rejection?.reason ?? "",
    ...(held && { expiresAt: timestampFromDate(held.expires_at) }),
  };
}

/**
 * Counts the lines only while the batch runs. Before that all lines wait; afterwards the result is
 * stored.
 */
async function progressOf(lines: Orders, batch: BatchDocument): Promise<Standing> {
  const { result, line_count: count } = batch;
  if (result !== undefined) {
    return { counts: result.counts, total: fromDecimal128(result.total_minor) };
  }
  const none = { waiting: 0, executed: 0, failed: 0, cancelled: 0 };
  switch (batch.state) {
    case "awaiting_approval":
      if (batch.held?.has_run === true) return standingOf(lines, batch._id);
      return { counts: { ...none, waiting: count }, total: 0n };
    case "cancelled":
      return { counts: { ...none, cancelled: count }, total: 0n };
    default:
      return standingOf(lines, batch._id);
  }
}

const awaitingBalance = {
  status: PayoutStatus.INITIATED,
  subStatus: PayoutSubStatus.AWAITING_BALANCE,
} as const;

const awaitingApproval = {
  status: PayoutStatus.INITIATED,
  subStatus: PayoutSubStatus.AWAITING_APPROVAL,
} as const;

export function totalMessage({ currency, amount, lines }: FixedTotal) {
  return { currencyCode: currency, amount: formatAmount(amount, currency), lines };
}

/** Builds the message of a line as it was sent. */
function termsMessage(terms: OrderTerms): MessageInitShape<typeof BatchTermsSchema> {
  const { details, fixed, amount, maxSource, source, destination } = terms;
  const currency = fixed === "source" ? source : destination;
  return {
    accountId: terms.accountId,
    beneficiaryId: terms.beneficiaryId,
    sourceCurrencyCode: source,
    destinationCurrencyCode: destination,
    [fixed === "source" ? "sourceAmount" : "receivingAmount"]: formatAmount(amount, currency),
    maxSourceAmount: maxSource === undefined ? "" : formatAmount(maxSource, source),
    referenceId: details.referenceId,
    remittanceInformation: details.remittanceInformation ?? "",
    purposeCode: details.purposeCode ?? "",
    metadata: details.metadata ?? {},
    allowDuplicate: terms.allowDuplicate,
  };
}

/** Builds the messages of lines, including the outcomes of their payouts. */
export async function lineMessages(
  payouts: Payouts,
  documents: readonly OrderDocument[],
  { state, balance, unfunded_at }: BatchDocument,
): Promise<BatchLine[]> {
  const isShort = state === "running" && balance !== undefined && unfunded_at === undefined;
  const found = await payoutsOf(payouts, documents);
  return documents.map((document) => {
    const order = toOrder(document);
    const { terms } = order;
    const max = terms.maxSource;
    const { status, subStatus, ...outcome } = outcomeFields(
      order,
      found.get(document.payout_id ?? ""),
    );
    return create(BatchLineSchema, {
      number: document.line ?? 0,
      state: enumValue(BatchLineState, lineState(order.state)),
      accountId: terms.accountId,
      beneficiaryId: terms.beneficiaryId,
      sourceCurrencyCode: terms.source,
      destinationCurrencyCode: terms.destination,
      ...knownAmounts(order),
      maxSourceAmount: max === undefined ? "" : formatAmount(max, terms.source),
      referenceId: terms.details.referenceId,
      metadata: terms.details.metadata ?? {},
      terms: termsMessage(terms),
      correctedByBatchId: batchOfLine(document.corrected_by ?? ""),
      ...outcome,
      ...(order.state === "executed" && { status, subStatus }),
      ...(order.state === "waiting" && state === "awaiting_approval" && awaitingApproval),
      ...(order.state === "waiting" && isShort && awaitingBalance),
      updatedAt: timestampFromDate(document.updated_at),
    });
  });
}

/**
 * A line has no approval state of its own: it is shown as waiting while its batch awaits approval.
 * A line reserves no money.
 */
function lineState(state: OrderState["state"]) {
  return state === "awaiting_approval" || state === "reserving" ? "waiting" : state;
}
