import type { Rail } from "@disburse/rail/rail.ts";
import type { StoredCall } from "../payouts/document.ts";
import { openSince } from "../payouts/rules/payout.ts";
import { type LeasedPayout, nameRail, release } from "../payouts/work.ts";
import { holdFunds } from "../treasury/accounts.ts";
import {
  fromNow,
  overdueException,
  queueWaitMs,
  type RailWorkerDeps,
  silenceTo,
  takeStep,
} from "./steps.ts";

/**
 * Holds the payout's amount in the rail's account, if the rail pays from such an account. The rail
 * is stored before the hold, so that any end of the payout finds and releases the hold. Returns
 * `undefined` if the payout waits for funds or a concurrent write won.
 */
export async function fundPayout(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  rail: Rail,
  calls: readonly StoredCall[],
): Promise<LeasedPayout | undefined> {
  const { payout } = leased;
  if (payout.submittedAt === undefined && silenceTo(deps, payout) === "unfunded") {
    const short = { ...leased, payout: { ...payout, rail: rail.name } };
    return waitForFunds(deps, short, "what its merchant says", calls);
  }
  const isPaidFromAccount = payout.isFunded || rail.isFunded === true;
  // A payout may have been sent before its rail had an account. It has no hold there and gets none.
  if (!isPaidFromAccount || payout.submittedAt !== undefined) return leased;
  const named = payout.isFunded ? leased : await nameRail(deps.payouts, leased, rail.name);
  const dueNow = { work: deps.clock.now(), calls };
  if (named === undefined) return release(deps.payouts, leased, dueNow);
  const held = await holdFunds(deps.ledger, named.payout);
  switch (held.outcome) {
    case "held":
      return named;
    case "short":
      return waitForFunds(deps, named, held.missing, calls);
    case "ended":
      return release(deps.payouts, named, dueNow);
  }
}

/** Defers a payout until its rail's account is funded. The payout never fails for lack of funds. */
async function waitForFunds(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  missing: string,
  calls: readonly StoredCall[],
): Promise<undefined> {
  const { payout } = leased;
  const { id, rail } = payout;
  deps.log.debug({ payout_id: id, rail }, "payout waits until its rail account is funded");
  const work = fromNow(deps, queueWaitMs(deps, payout));
  if (payout.progress.stage === "queued") {
    const detail = `not sent: the rail account of ${rail} lacks ${missing}`;
    const step = { cause: "awaiting_funds", detail, at: deps.clock.now(), work, calls } as const;
    await takeStep(deps, leased, { stage: "awaiting_funds" }, step);
    return undefined;
  }
  const waitedMs = deps.clock.now().getTime() - openSince(payout).getTime();
  const isStuck = waitedMs >= deps.stuckAfterMs;
  return release(deps.payouts, leased, {
    work,
    calls,
    ...(isStuck && overdueException(deps, payout)),
  });
}
