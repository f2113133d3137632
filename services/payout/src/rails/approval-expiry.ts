import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { type LeasedPayout, release } from "../payouts/work.ts";
import {
  fromNow,
  queueWaitMaxMs,
  type RailWorkerDeps,
  renewedLease,
  retryMs,
  type StepResult,
  takeStep,
} from "./steps.ts";

/**
 * Ends the wait of a payout that no one approved in time, by the clock of its database: it is
 * cancelled, and its money released. An approval at the same time is one write of the same
 * document, and one of the two changes nothing.
 */
export async function expireApproval(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
): Promise<StepResult | undefined> {
  const { approval, exception } = leased.payout;
  if (approval === undefined) throw new Error("a payout waits for an approval that it has not");
  const found = await findWithTime(deps.payouts, leased.payout.id);
  const leftMs = approval.expiresAt.getTime() - (found?.now.getTime() ?? 0);
  if (leftMs > 0) {
    return release(deps.payouts, leased, { work: fromNow(deps, Math.max(leftMs, retryMs)) });
  }
  if (exception?.kind === "contradicted") {
    return release(deps.payouts, leased, { work: fromNow(deps, queueWaitMaxMs) });
  }
  const because = "approval_expired" as const;
  const expired = await takeStep(
    deps,
    leased,
    { stage: "concluding", outcome: { kind: "cancelled", because } },
    {
      cause: because,
      detail: "not approved in time",
      ...renewedLease(deps),
      decides: { decision: { as: "expired", at: deps.clock.now() }, inTime: false },
    },
  );
  return expired && { leased: expired, pollAt: "done" };
}
