import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  type Batch,
  type BatchApprovalSchema,
  type BatchLine,
  BatchLineSchema,
  BatchLineState,
  BatchSchema,
  BatchState,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type OrderDocument, type Orders, toOrder } from "../orders/document.ts";
import { knownAmounts } from "../orders/rules/order.ts";
import { outcomeFields, payoutsOf } from "../orders/wire.ts";
import type { Payouts } from "../payouts/document.ts";
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
  });
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

const awaitingApproval = {
  status: PayoutStatus.INITIATED,
  subStatus: PayoutSubStatus.AWAITING_APPROVAL,
} as const;

function totalMessage({ currency, amount, lines }: FixedTotal) {
  return { currencyCode: currency, amount: formatAmount(amount, currency), lines };
}

/** Builds the messages of lines, including the outcomes of their payouts. */
export async function lineMessages(
  payouts: Payouts,
  documents: readonly OrderDocument[],
  batch: BatchDocument["state"],
): Promise<BatchLine[]> {
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
      // A line has no approval state of its own: it is shown as waiting while its batch awaits
      // approval.
      state: enumValue(
        BatchLineState,
        order.state === "awaiting_approval" ? "waiting" : order.state,
      ),
      accountId: terms.accountId,
      beneficiaryId: terms.beneficiaryId,
      sourceCurrencyCode: terms.source,
      destinationCurrencyCode: terms.destination,
      ...knownAmounts(order),
      maxSourceAmount: max === undefined ? "" : formatAmount(max, terms.source),
      referenceId: terms.details.referenceId,
      metadata: terms.details.metadata ?? {},
      ...outcome,
      ...(order.state === "executed" && { status, subStatus }),
      ...(order.state === "waiting" && batch === "awaiting_approval" && awaitingApproval),
      updatedAt: timestampFromDate(document.updated_at),
    });
  });
}
