import { createHash } from "node:crypto";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Payout, PayoutDetails, Reissue } from "../../payouts/rules/payout.ts";
import type { Progress } from "../../payouts/rules/progress.ts";

/** A request to pay again. */
export type Asker = { readonly operationId: string; readonly content: string };

/** What quotes and executes for a request: the same on each try of it, another for each attempt. */
export function operationOfAttempt(
  payoutId: string,
  attempt: number,
  { operationId, content }: Asker,
): string {
  const asker = createHash("sha256").update(`${operationId}\n${content}`).digest("base64url");
  return `${payoutId}.${attempt}.${asker}`;
}

/** Payouts of which the money is with the merchant again by the rail's word. */
const reissuable: ReadonlySet<Progress["stage"]> = new Set(["returned", "rejected"] as const);

/**
 * What a request to pay a payout again does next: gets a quote, executes the one that it bound
 * before, or first ends the one of another request.
 */
export function nextOfReissue(
  { id, progress, exception, reissue, reissuedAs }: Reissued,
  asker: Asker,
): "quote" | "execute" | "end" | Refused<"ALREADY_PROCESSED" | "INVALID_REQUEST"> {
  const isOwn =
    reissue !== undefined && reissue.operationId === operationOfAttempt(id, reissue.attempt, asker);
  if (reissuedAs !== undefined) {
    return isOwn ? "execute" : { ...refused("ALREADY_PROCESSED"), payoutId: reissuedAs };
  }
  if (!reissuable.has(progress.stage)) return notReturned;
  // Its rail says that it paid it, or did: people look first.
  if (exception !== undefined) return inDoubt;
  if (reissue === undefined) return "quote";
  return isOwn ? "execute" : "end";
}

type Reissued = Pick<Payout, "id" | "progress" | "exception" | "reissue" | "reissuedAs">;

const notReturned = refused(
  "INVALID_REQUEST",
  "payout_id: must be a payout that was returned or rejected",
);
const inDoubt = refused(
  "INVALID_REQUEST",
  "payout_id: its rail contradicts itself, and the operator has to look first",
);

/** No execute runs for so long: a quote that was bound before is no longer worked on. */
const workedOnMs = 5_000;

/** Whether another request may be executing the quote that it bound. */
export function isWorkedOn({ boundAt }: Reissue, now: Date): boolean {
  return now.getTime() - boundAt.getTime() < workedOnMs;
}

/** The details of the new payout: as of the one before, but for what was sent. */
export function reissueDetails(
  before: PayoutDetails,
  { referenceId, metadata = {} }: Pick<PayoutDetails, "referenceId" | "metadata">,
): PayoutDetails {
  const details = { ...before, referenceId: referenceId || before.referenceId };
  return Object.keys(metadata).length > 0 ? { ...details, metadata } : details;
}
