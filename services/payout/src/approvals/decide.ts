import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { PublicRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { isRefused, type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { ExecuteDeps } from "../execution/execute.ts";
import { readBeneficiary, readQuote } from "../execution/reads.ts";
import { fundable } from "../execution/rules/payable.ts";
import { type PayoutDocument, toPayout } from "../payouts/document.ts";
import { leaseMs } from "../payouts/leases.ts";
import type { ApprovalDecision } from "../payouts/rules/approval.ts";
import { approvalExpired, otherDigest } from "../payouts/rules/approval.ts";
import { approvalDigest, decidable } from "../payouts/rules/deciding.ts";
import { holdOf, type Payout } from "../payouts/rules/payout.ts";
import { advance } from "../payouts/work.ts";
import type { CancelDeps } from "../rails/cancel.ts";
import { closeDecided } from "../rails/closing.ts";

export type DecideDeps = Pick<ExecuteDeps, "quote" | "beneficiary"> &
  Omit<CancelDeps, "reservations"> & {
    readonly reservations: ExecuteDeps["reservations"] & CancelDeps["reservations"];
  };

type PayoutRef = { readonly merchantId: string; readonly payoutId: string };

type Decided = Payout | Refused<PublicRefusal>;

/**
 * Approves a payout and queues it for its rail. Repeats the checks of an execute; if one fails, the
 * payout still awaits approval. Every approval, rejection, cancellation and expiry writes the
 * payout's document, so only one of them takes effect.
 */
export async function approvePayout(
  deps: DecideDeps,
  request: PayoutRef & { readonly digest: string },
  by: Change,
): Promise<Decided> {
  const read = await readWaiting(deps, request, "approved", by);
  if (isRefused(read)) return read;
  const { payout, next } = read;
  if (next === "done") return payout;
  const digest = approvalDigest(payout);
  if (digest !== payout.approval?.digest)
    throw new Error("the stored payout doesn't match the digest of its approval");
  const other = otherDigest("payout", digest, request.digest);
  if (other !== undefined) return other;
  const reservation = await checkAgain(deps, payout);
  if (isRefused(reservation)) return reservation;
  const at = deps.clock.now();
  const decision = { as: "approved", at, by: by.actor, operationId: by.operationId } as const;
  const approved = await advance(
    deps.payouts,
    payout,
    { stage: "queued" },
    {
      cause: "approved",
      detail: "approved",
      at,
      by,
      work: at,
      decides: { decision, inTime: true },
    },
  );
  if (approved === undefined) {
    await reservation.giveUp();
    return decideAgain(deps, request, payout, () => approvePayout(deps, request, by));
  }
  deps.log.debug({ payout_id: payout.id, stage: "queued", cause: "approved" }, "payout advanced");
  deps.wake();
  return approved.payout;
}

/** Rejects and cancels a payout. Releases its money before the response. */
export async function rejectPayout(
  deps: DecideDeps,
  request: PayoutRef & { readonly reason: string },
  by: Change,
): Promise<Decided> {
  const read = await readWaiting(deps, request, "rejected", by);
  if (isRefused(read)) return read;
  const { payout, next } = read;
  if (next === "done") return endRejected(deps, request, payout);
  const at = deps.clock.now();
  const because = "approval_rejected" as const;
  const who = { by: by.actor, operationId: by.operationId };
  const rejecting = { stage: "concluding", outcome: { kind: "cancelled", because } } as const;
  const rejected = await advance(deps.payouts, payout, rejecting, {
    cause: because,
    detail: "rejected",
    at,
    by,
    work: new Date(at.getTime() + leaseMs),
    decides: { decision: { as: "rejected", at, ...who, reason: request.reason }, inTime: true },
  });
  if (rejected === undefined) {
    return decideAgain(deps, request, payout, () => rejectPayout(deps, request, by));
  }
  deps.log.debug({ payout_id: payout.id, stage: "concluding", cause: because }, "payout advanced");
  return endRejected(deps, request, rejected.payout);
}

/**
 * Releases the money of a rejected payout. After a crash, a repeated call completes the release.
 */
async function endRejected(deps: DecideDeps, request: PayoutRef, payout: Payout): Promise<Decided> {
  if (payout.progress.stage !== "concluding") return payout;
  await closeDecided(deps, payout);
  return toPayout(await found(deps, request));
}

/** Reads the payout and checks whether this operation may decide on it, or has already decided. */
async function readWaiting(
  { payouts }: DecideDeps,
  { merchantId, payoutId }: PayoutRef,
  as: Extract<ApprovalDecision["as"], "approved" | "rejected">,
  { actor, operationId }: Change,
) {
  const document = await payouts.findOne({ _id: payoutId, merchant_id: merchantId });
  if (document === null) return refused("RECORD_NOT_FOUND");
  const payout = toPayout(document);
  const next = decidable(payout, payout.order.actor, { as, by: actor, operationId });
  return isRefused(next) ? next : { payout, next };
}

/**
 * Called when the write did not match. Either a concurrent write won, or the approval has expired
 * by the database's clock.
 */
async function decideAgain(
  deps: DecideDeps,
  request: PayoutRef,
  before: Payout,
  again: () => Promise<Decided>,
): Promise<Decided> {
  const { revision } = await found(deps, request);
  return revision === before.revision ? expired : again();
}

const expired = approvalExpired("payout");

async function found(
  { payouts }: Pick<DecideDeps, "payouts">,
  { merchantId, payoutId }: PayoutRef,
): Promise<PayoutDocument> {
  const document = await payouts.findOne({ _id: payoutId, merchant_id: merchantId });
  if (document === null) throw new Error("the payout of an approval decision doesn't exist");
  return document;
}

/**
 * Repeats the checks of an execute with current data: corridor, beneficiary and limits. The payout
 * already has its velocity reservation, unless it waited longer than the limits' windows.
 */
async function checkAgain(deps: DecideDeps, { order, quote }: Payout) {
  const { merchantId, accountId, beneficiary, destinationKeys, source, sourceMinor } = quote;
  const read = await readQuote(deps, quote.id);
  if (read?.executable.corridorOpen !== true) {
    return refusedBecause("ACCESS_FORBIDDEN", "corridor_not_open");
  }
  const { screening } = await readBeneficiary(deps, merchantId, beneficiary.id);
  const fit = fundable(read.executable, screening);
  if (isRefused(fit)) return fit;
  return deps.reservations.reserve({
    payoutId: holdOf(order),
    quoteId: quote.id,
    merchantId,
    accountId,
    destinationKeys,
    currency: source,
    amount: sourceMinor,
  });
}
