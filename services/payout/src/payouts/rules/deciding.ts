import { createHash } from "node:crypto";
import { type Refused, refusedBecause, refusedInState } from "@disburse/kernel/refusal.ts";
import { type ApprovalDecision, type ApprovalNeed, isSameActor, type Who } from "./approval.ts";
import {
  type ClaimedQuote,
  detailsText,
  type Payout,
  type PayoutOrder,
  payoutFrom,
} from "./payout.ts";
import { publicStatusOf } from "./progress.ts";

/**
 * Creates a payout from a claimed quote. If the payout needs approval and its batch was not
 * approved, it awaits approval.
 */
export function newPayout(quote: ClaimedQuote, order: PayoutOrder): Payout {
  const payout = payoutFrom(quote, order);
  return order.approval === undefined ? payout : withApproval(payout, order.approval);
}

function withApproval(payout: Payout, { reasons, lastsMs, given }: ApprovalNeed): Payout {
  const expiresAt = new Date(payout.quote.claimedAt.getTime() + lastsMs);
  const decision = given && ({ as: "approved", ...given } as const);
  const approval = { reasons, digest: approvalDigest(payout), expiresAt, decision };
  if (given !== undefined) return { ...payout, approval };
  return { ...payout, progress: { stage: "awaiting_approval" }, approval };
}

/**
 * Hashes the content to approve: the beneficiary, the amounts and the quote's terms. SHA-256 in
 * hexadecimal.
 */
export function approvalDigest({
  id,
  quote,
  order,
}: Pick<Payout, "id" | "quote" | "order">): string {
  const { beneficiary } = quote;
  const bound = [
    ...["1", id, quote.merchantId, quote.accountId, quote.id, quote.corridorId],
    ...[beneficiary.id, beneficiary.name, beneficiary.nameLatin ?? ""],
    beneficiary.accountNumberMasked,
    ...[beneficiary.transferMethod, beneficiary.network],
    ...[quote.source, quote.sourceMinor, quote.feesMinor],
    ...[quote.destination, quote.receivingMinor, quote.exchangeRate, quote.returnCharges],
    detailsText(order.details),
  ].map(String);
  return createHash("sha256").update(JSON.stringify(bound)).digest("hex");
}

/** Returns true if the payout needs no approval, or if its content equals the approved content. */
export function isAsApproved(payout: Payout): boolean {
  const { approval } = payout;
  if (approval === undefined) return true;
  return approval.decision?.as === "approved" && approval.digest === approvalDigest(payout);
}

export function approvalState({
  progress,
  approval,
}: Pick<Payout, "progress" | "approval">): ApprovalDecision["as"] | "waiting" | "cancelled" {
  if (approval?.decision !== undefined) return approval.decision.as;
  return progress.stage === "awaiting_approval" ? "waiting" : "cancelled";
}

type DecisionRefusal = "NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN";

/**
 * Checks whether an actor may decide on a payout. Returns `done` if the same operation has already
 * decided.
 */
export function decidable(
  { progress, approval, exception }: Pick<Payout, "progress" | "approval" | "exception">,
  executedBy: Who,
  decision: {
    readonly as: "approved" | "rejected";
    readonly by: Who;
    readonly operationId: string;
  },
): "decide" | "done" | Refused<DecisionRefusal> {
  const before = approval?.decision;
  if (before !== undefined && before.as === decision.as) {
    if (before.operationId === decision.operationId) return "done";
  }
  // After a contradiction the rail's outcome is unknown, so an operator must check the payout
  // first.
  const isContradicted = exception?.kind === "contradicted";
  if (progress.stage !== "awaiting_approval" || isContradicted) {
    const state = isContradicted ? "contradicted by its rail" : publicStatusOf(progress).subStatus;
    return refusedInState("NOT_AWAITING_APPROVAL", "payout", state, "awaiting_approval");
  }
  const isOwn = isSameActor(executedBy, decision.by);
  return isOwn ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}
