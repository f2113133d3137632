import { createHash } from "node:crypto";
import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import { type ApprovalDecision, type ApprovalNeed, isSameActor, type Who } from "./approval.ts";
import type { ClaimedQuote, Payout } from "./payout.ts";

/** A new payout that needs approval: it waits for it from its claim on, or has it already. */
export function withApproval(payout: Payout, { reasons, lastsMs, given }: ApprovalNeed): Payout {
  const { id, quote } = payout;
  const expiresAt = new Date(quote.claim.claimedAt.getTime() + lastsMs);
  const decision = given && ({ as: "approved", ...given } as const);
  const approval = { reasons, digest: approvalDigest(id, quote), expiresAt, decision };
  if (given !== undefined) return { ...payout, approval };
  return { ...payout, progress: { stage: "awaiting_approval" }, approval };
}

/** SHA-256 in hexadecimal over what is approved: beneficiary, amounts, and the quote's terms. */
export function approvalDigest(payoutId: string, quote: ClaimedQuote): string {
  const { beneficiary, claim } = quote;
  const bound = [
    ...["1", payoutId, quote.merchantId, quote.accountId, quote.id, quote.corridorId],
    ...[beneficiary.id, beneficiary.name, beneficiary.nameLatin ?? ""],
    beneficiary.accountNumberMasked,
    ...[beneficiary.transferMethod, beneficiary.network],
    ...[quote.source, quote.sourceMinor, quote.feesMinor],
    ...[quote.destination, quote.receivingMinor, quote.exchangeRate, quote.returnCharges],
    ...[claim.referenceId, claim.remittanceInformation, claim.purposeCode],
  ].map(String);
  return createHash("sha256").update(JSON.stringify(bound)).digest("hex");
}

/** Whether a payout is what was approved; one that needs no approval is. */
export function isAsApproved({ id, quote, approval }: Payout): boolean {
  if (approval === undefined) return true;
  return approval.decision?.as === "approved" && approval.digest === approvalDigest(id, quote);
}

/** Where an approval stands. */
export function approvalState({
  progress,
  approval,
}: Pick<Payout, "progress" | "approval">): ApprovalDecision["as"] | "waiting" | "cancelled" {
  if (approval?.decision !== undefined) return approval.decision.as;
  return progress.stage === "awaiting_approval" ? "waiting" : "cancelled";
}

type DecisionRefusal = "NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN";

/** Whether an actor may decide on a payout; `done`: the same operation has. */
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
  // What a rail did is not what we know: people have to look first.
  if (progress.stage !== "awaiting_approval" || exception?.kind === "contradicted") {
    return refused("NOT_AWAITING_APPROVAL");
  }
  const isOwn = isSameActor(executedBy, decision.by);
  return isOwn ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}
