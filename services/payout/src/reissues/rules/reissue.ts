import { createHash } from "node:crypto";
import { type Refused, refused, refusedInState } from "@disburse/kernel/refusal.ts";
import type { Payout, PayoutDetails, Reissue } from "../../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../../payouts/rules/progress.ts";

export type Requester = { readonly operationId: string; readonly content: string };

/**
 * Returns the operation id of a request's attempt. All retries of the same attempt use the same id.
 */
export function operationOfAttempt(
  payoutId: string,
  attempt: number,
  { operationId, content }: Requester,
): string {
  const requester = createHash("sha256").update(`${operationId}\n${content}`).digest("base64url");
  return `${payoutId}.${attempt}.${requester}`;
}

/**
 * The stages in which a payout can be reissued. In these, the rail did not pay or the payment came
 * back, and the merchant has the money again.
 */
const reissuable: ReadonlySet<Progress["stage"]> = new Set(["returned", "rejected"] as const);

/**
 * Returns the next step of a reissue. `quote`: get a quote. `execute`: execute the quote that this
 * request has bound. `end`: first expire the quote of another request.
 */
export function nextOfReissue(
  { id, progress, exception, reissue, reissuedAs }: Reissued,
  requester: Requester,
): "quote" | "execute" | "end" | Refused<"ALREADY_PROCESSED" | "STATE_NOT_REACHABLE"> {
  const isOwn =
    reissue !== undefined &&
    reissue.operationId === operationOfAttempt(id, reissue.attempt, requester);
  if (reissuedAs !== undefined) {
    return isOwn ? "execute" : { ...refused("ALREADY_PROCESSED"), payoutId: reissuedAs };
  }
  if (!reissuable.has(progress.stage)) {
    const { subStatus } = publicStatusOf(progress);
    return refusedInState("STATE_NOT_REACHABLE", "payout", subStatus, "returned or rejected");
  }
  // The rail may have reported the payout as paid, so an operator must check it first.
  if (exception !== undefined) return contradicted;
  if (reissue === undefined) return "quote";
  return isOwn ? "execute" : "end";
}

type Reissued = Pick<Payout, "id" | "progress" | "exception" | "reissue" | "reissuedAs">;

const contradicted = refused(
  "STATE_NOT_REACHABLE",
  "The rail's reports on the payout contradict each other. An operator must resolve it first.",
);

/**
 * No execute runs longer than this. A quote that was bound earlier is not being executed any more.
 */
const workedOnMs = 5_000;

/** Returns true if another request may be executing its bound quote. */
export function isWorkedOn({ boundAt }: Reissue, now: Date): boolean {
  return now.getTime() - boundAt.getTime() < workedOnMs;
}

/** Returns the new payout's details. They are the old ones with the changes in the request. */
export function reissueDetails(
  before: PayoutDetails,
  { referenceId, metadata = {} }: Pick<PayoutDetails, "referenceId" | "metadata">,
): PayoutDetails {
  const details = { ...before, referenceId: referenceId || before.referenceId };
  return Object.keys(metadata).length > 0 ? { ...details, metadata } : details;
}
