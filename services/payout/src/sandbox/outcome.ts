import { setTimeout as pause } from "node:timers/promises";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused, refusedInState } from "@disburse/kernel/refusal.ts";
import { pendingMovement } from "../payouts/rules/movement.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../payouts/rules/progress.ts";
import { findPayout } from "../payouts/store.ts";
import { closeDecided } from "../rails/closing.ts";
import { type RailReportDeps, reportOutcome } from "../rails/reports.ts";
import type { SandboxRail } from "../rails/sandbox/rail.ts";
import type { Steered } from "../rails/sandbox/steering.ts";

export type OutcomeDeps = RailReportDeps &
  Parameters<typeof closeDecided>[0] & { readonly rail: Pick<SandboxRail, "name" | "steer"> };

type OutcomeRefusal = Refused<"RECORD_NOT_FOUND" | "STATE_NOT_REACHABLE">;

/**
 * The longest wait for a payout to reach its rail. It usually does so within milliseconds of its
 * execution.
 */
const waitMs = 2_000;
const pollEveryMs = 20;

/** The states from which the simulated rail reaches each outcome. */
const from = {
  settled: "processing or unknown at the simulated rail",
  rejected: "processing or unknown at the simulated rail",
  returned: "settled by the simulated rail",
  unknown: "processing at the simulated rail",
} as const satisfies Record<Steered["kind"], string>;

function notReachable({ progress }: Payout, { kind }: Steered): Refused<"STATE_NOT_REACHABLE"> {
  const { subStatus } = publicStatusOf(progress);
  return refusedInState("STATE_NOT_REACHABLE", "payout", subStatus, from[kind]);
}

/**
 * Gives a payout an outcome through its rail's own report. Returns when the payout's money has
 * moved. The rail stores the outcome together with its callback, so the callback is sent even after
 * a crash.
 */
export async function setOutcome(
  deps: OutcomeDeps,
  its: { readonly merchantId: string; readonly payoutId: string },
  to: Steered,
  by: Change,
): Promise<Payout | OutcomeRefusal> {
  const refusal = await steerRail(deps, its, to);
  if (refusal !== undefined) return refusal;
  const isUnreported =
    to.kind === "unknown" && isRefused(await reportOutcome(deps, its.payoutId, { status: to }, by));
  for (;;) {
    const payout = await findPayout(deps.payouts, its.payoutId, { merchant_id: its.merchantId });
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    if (isUnreported) return notReachable(payout, to);
    if (pendingMovement(payout.progress) === undefined) {
      return payout.progress.stage === ends[to.kind] ? payout : notReachable(payout, to);
    }
    await closeDecided(deps, payout);
  }
}

const ends = {
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
  unknown: "unknown",
} as const satisfies Record<Steered["kind"], Progress["stage"]>;

/** Sets the outcome at the rail. Waits for a payout that has not reached the rail yet. */
async function steerRail(
  { payouts, rail }: OutcomeDeps,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
  to: Steered,
): Promise<OutcomeRefusal | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const payout = await findPayout(payouts, payoutId, { merchant_id: merchantId });
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    const { quote, progress } = payout;
    const sum = { amount: quote.receivingMinor, currency: quote.destination };
    const isItsRail = payout.submittedAt !== undefined && payout.rail === rail.name;
    const steered = isItsRail ? await rail.steer(payoutId, to, sum) : "not_received";
    if (steered === "steered") return undefined;
    const isOver = steered === "refused" || !onItsWay.has(progress.stage);
    if (isOver || performance.now() > until) return notReachable(payout, to);
    await pause(pollEveryMs);
  }
}

/**
 * The stages in which a payout may still reach its rail. They include `unknown`, because a silent
 * rail may respond again.
 */
const onItsWay: ReadonlySet<Progress["stage"]> = new Set([
  ...(["queued", "awaiting_funds", "submitting", "unknown"] as const),
]);
