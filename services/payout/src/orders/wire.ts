import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { creatorMessage } from "@disburse/chassis/rpc/creator.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  type ScheduledPayout,
  type ScheduledPayoutApprovalSchema,
  ScheduledPayoutSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { failureMessages } from "@disburse/kernel/failure.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Payouts } from "../payouts/document.ts";
import { stateFields, toPayout } from "../payouts/document.ts";
import { visibleFailure } from "../payouts/rules/failure.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { publicStatusOf } from "../payouts/rules/progress.ts";
import { approvalDigest, type OrderDocument, toOrder } from "./document.ts";
import { failureText, knownAmounts, type Order } from "./rules/order.ts";

/** Builds the messages of scheduled payouts, including the outcomes of their payouts. */
export async function scheduledMessages(
  payouts: Payouts,
  documents: readonly OrderDocument[],
): Promise<ScheduledPayout[]> {
  const found = await payoutsOf(payouts, documents);
  return documents.map((document) => {
    const order = toOrder(document);
    const { terms } = order;
    return create(ScheduledPayoutSchema, {
      id: order.id,
      merchantId: order.merchantId,
      accountId: terms.accountId,
      beneficiaryId: terms.beneficiaryId,
      sourceCurrencyCode: terms.source,
      destinationCurrencyCode: terms.destination,
      ...knownAmounts(order),
      maxSourceAmount:
        terms.maxSource === undefined ? "" : formatAmount(terms.maxSource, terms.source),
      referenceId: terms.details.referenceId,
      metadata: terms.details.metadata ?? {},
      reserve: document.reserve === true,
      scheduledAt: document.scheduled_at && timestampFromDate(document.scheduled_at),
      ...outcomeFields(order, found.get(document.payout_id ?? "")),
      ...rejectedFields(document),
      approval: approvalMessage(document),
      createdBy: creatorMessage(document.actor),
      createdAt: timestampFromDate(document.created_at),
      updatedAt: timestampFromDate(document.updated_at),
    });
  });
}

/** Returns the failure fields of an order that was cancelled by a rejection. */
function rejectedFields({ rejection }: OrderDocument) {
  if (rejection === undefined) return {};
  const failureCode = "APPROVAL_REJECTED";
  return { failureCode, failureMessage: failureMessages[failureCode] };
}

/** Returns the decision on a held order, or `undefined` if it was never held. */
function approvalMessage(
  order: OrderDocument,
): MessageInitShape<typeof ScheduledPayoutApprovalSchema> | undefined {
  const { state, held, approval, rejection, failure } = order;
  if (held === undefined) return undefined;
  const decision = approval ?? rejection;
  const ended = failure === "APPROVAL_EXPIRED" ? "expired" : "cancelled";
  const undecided = state === "awaiting_approval" ? "waiting" : ended;
  const shown = approval ? "approved" : rejection ? "rejected" : undecided;
  return {
    state: enumValue(ApprovalState, shown),
    expiresAt: timestampFromDate(held.expires_at),
    ...(decision && {
      decidedAt: timestampFromDate(decision.at),
      decidedBy: { kind: enumValue(Actor_Kind, decision.actor.kind), id: decision.actor.id },
    }),
    reason: rejection?.reason ?? "",
    digest: approvalDigest(order),
  };
}

/** Returns the payouts of orders, by payout id. */
export async function payoutsOf(
  payouts: Payouts,
  documents: readonly Pick<OrderDocument, "payout_id">[],
): Promise<ReadonlyMap<string, Payout>> {
  const ids = documents.flatMap(({ payout_id: id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const read = payouts.find({ _id: { $in: ids } }, { projection: stateFields });
  return new Map((await read.toArray()).map((each) => [each._id, toPayout(each)]));
}

/** Returns an order's outcome as the status fields of a payout. */
export function outcomeFields(order: Order, payout: Payout | undefined) {
  const { status, subStatus, ...rest } = outcomeOf(order, payout);
  return {
    status: enumValue(PayoutStatus, status),
    subStatus: enumValue(PayoutSubStatus, subStatus),
    ...rest,
  };
}

function outcomeOf(order: Order, payout: Payout | undefined) {
  switch (order.state) {
    case "reserving":
    case "waiting":
      return { status: "initiated", subStatus: "scheduled" } as const;
    case "awaiting_approval":
      return { status: "initiated", subStatus: "awaiting_approval" } as const;
    case "cancelled":
      return { status: "failed", subStatus: "cancelled" } as const;
    case "failed":
      return {
        ...({ status: "failed", subStatus: "rejected" } as const),
        failureCode: order.failure,
        failureMessage: order.detail ?? failureText(order.failure),
      };
    case "executed": {
      if (payout === undefined) throw new Error("the payout of an executed order doesn't exist");
      const { failureCode, failureMessage } = visibleFailure(payout.progress);
      const { payoutId } = order;
      return { ...publicStatusOf(payout.progress), failureCode, failureMessage, payoutId };
    }
  }
}
