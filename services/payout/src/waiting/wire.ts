import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  type Approval,
  ApprovalSchema,
  ApprovalState,
} from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  type ListedPayout,
  ListedPayoutSchema,
  type Payout,
  PayoutCause,
  PayoutEventSchema,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { failureMessages } from "@disburse/kernel/failure.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { approvalDigest, toOrder } from "../orders/document.ts";
import { failureText } from "../orders/rules/order.ts";
import { endVersion } from "../orders/store.ts";
import { payoutMessage } from "../payouts/wire.ts";
import { payoutOfWait, type WaitingDocument } from "./document.ts";

/** Builds the message of a waiting payout. Its amounts are those of the quote that was executed. */
export function waitingMessage(document: WaitingDocument): Payout {
  const { balance, source, max_source_minor: max } = document;
  const state = shownState(document);
  return {
    ...payoutMessage(payoutOfWait(document)),
    ...state,
    version: state.status === PayoutStatus.FAILED ? endVersion : 1,
    ...(document.held && { approval: approvalMessage(document, document.held) }),
    expiresAt: timestampFromDate(balance.expires_at),
    maxSourceAmount: max === undefined ? "" : formatAmount(fromDecimal128(max), source),
    updatedAt: timestampFromDate(document.updated_at),
  };
}

/** The message of the event that announced the waiting payout. */
export function firstMessage(document: WaitingDocument): Payout {
  const { created_at: updated_at, held: _, ...own } = document;
  return waitingMessage({ ...own, created_at: updated_at, updated_at, state: "waiting" });
}

function shownState(document: WaitingDocument) {
  const order = toOrder(document);
  const initiated = {
    status: PayoutStatus.INITIATED,
    failureCode: "",
    failureMessage: "",
  } as const;
  const failed = { status: PayoutStatus.FAILED } as const;
  switch (order.state) {
    // Only scheduled payouts reserve money.
    case "reserving":
    case "waiting":
    case "executed":
      return { ...initiated, subStatus: PayoutSubStatus.AWAITING_BALANCE };
    case "awaiting_approval":
      return { ...initiated, subStatus: PayoutSubStatus.AWAITING_APPROVAL };
    case "cancelled": {
      const failureCode = document.rejection === undefined ? "CANCELLED" : "APPROVAL_REJECTED";
      const failureMessage = failureMessages[failureCode];
      return { ...failed, subStatus: PayoutSubStatus.CANCELLED, failureCode, failureMessage };
    }
    case "failed": {
      const { failure: failureCode, detail } = order;
      const failureMessage = detail ?? failureText(failureCode);
      return { ...failed, subStatus: PayoutSubStatus.REJECTED, failureCode, failureMessage };
    }
  }
}

/** Builds the approval of a payout that was held, because its key was revoked. */
function approvalMessage(
  order: WaitingDocument,
  held: NonNullable<WaitingDocument["held"]>,
): Approval {
  const { state, approval, rejection, failure } = order;
  const decision = approval ?? rejection;
  const ended = failure === "APPROVAL_EXPIRED" ? "expired" : "cancelled";
  const undecided = state === "awaiting_approval" ? "waiting" : ended;
  const shown = approval ? "approved" : rejection ? "rejected" : undecided;
  return create(ApprovalSchema, {
    state: enumValue(ApprovalState, shown),
    reasons: [],
    digest: approvalDigest(order),
    expiresAt: timestampFromDate(held.expires_at),
    ...(decision && {
      decidedAt: timestampFromDate(decision.at),
      decidedBy: { kind: enumValue(Actor_Kind, decision.actor.kind), id: decision.actor.id },
    }),
    reason: rejection?.reason ?? "",
  });
}

/** Builds the list's message of a waiting payout. */
export function listedWaiting(document: WaitingDocument): ListedPayout {
  const { $typeName: _, ...payout } = waitingMessage(document);
  const names = new Set(ListedPayoutSchema.fields.map(({ localName }) => localName));
  const shared = Object.entries(payout).filter(([name]) => names.has(name));
  const decider = payout.approval?.decidedBy;
  const decided = decider === undefined ? {} : { decidedBy: decider };
  return create(ListedPayoutSchema, { ...Object.fromEntries(shared), ...decided });
}

/** Builds the timeline of a waiting payout. */
export function waitingEvents(document: WaitingDocument) {
  const { status, subStatus, failureCode, failureMessage } = waitingMessage(document);
  const begun = waitingBegan(document.created_at);
  if (status !== PayoutStatus.FAILED) return [begun];
  const isCancelled = subStatus === PayoutSubStatus.CANCELLED;
  const ended = create(PayoutEventSchema, {
    status,
    subStatus,
    failureCode,
    failureMessage,
    cause: isCancelled ? PayoutCause.CANCELLED : PayoutCause.NOT_PAID,
    version: endVersion,
    createdAt: timestampFromDate(document.updated_at),
  });
  return [begun, ended];
}

/** The first event of a payout that waits or has waited for balance. */
export function waitingBegan(since: Date) {
  return create(PayoutEventSchema, {
    status: PayoutStatus.INITIATED,
    subStatus: PayoutSubStatus.AWAITING_BALANCE,
    cause: PayoutCause.AWAITING_BALANCE,
    version: 1,
    createdAt: timestampFromDate(since),
  });
}
