import { isRefused } from "@disburse/kernel/refusal.ts";
import { isOverdue, raiseException } from "../payouts/rules/exception.ts";
import { pendingMovement } from "../payouts/rules/movement.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { publicStatusOf } from "../payouts/rules/progress.ts";
import { applyRailReport } from "../payouts/rules/rail-report.ts";
import { causeOf } from "../payouts/rules/timeline.ts";
import type { LeasedPayout } from "../payouts/work.ts";
import { type RailResponse, retryMs } from "./calls.ts";
import {
  advance,
  keepLease,
  later,
  type RailWorkerDeps,
  release,
  type StepResult,
  soon,
  stuck,
} from "./steps.ts";

/** A payout that is not at its end is asked for so often, where its rail says no time. */
const pollIntervalMaxMs = 60_000;

/**
 * Takes what a rail answered: `undefined` when there is nothing to do for now; a decided payout,
 * whose money has to move, goes on.
 */
export async function applyAnswer(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  heard: RailResponse,
): Promise<StepResult | undefined> {
  const { payout } = leased;
  const { status, pollAfterMs, call } = heard;
  const next = applyRailReport(payout, heard);
  // A payout that is not at its end is asked for, also where the rail means to call back.
  const isOpen = publicStatusOf(payout.progress).status === "initiated";
  const atLast = isOpen ? later(deps, pollIntervalMaxMs) : "done";
  const pollAt = pollAfterMs === undefined ? atLast : later(deps, pollAfterMs);
  if (isRefused(next)) {
    deps.log.error({ payout_id: payout.id, answer: status.kind }, "rail contradicts itself");
    const doubt = raiseException(payout.doubt, "contradicted", call.at);
    return release(deps, leased, { work: atLast, calls: [call], doubt });
  }
  if (next === "unchanged") {
    const overdue = isOpen && isOverdue(payout.submittedAt, call.at, deps.stuckAfterMs);
    const doubt = overdue ? stuck(deps, payout) : {};
    return release(deps, leased, {
      work: nextPollAt(deps, payout, heard),
      calls: [call],
      ...doubt,
    });
  }
  const step = { cause: causeOf(status), detail: `rail said ${status.kind}`, calls: [call] };
  if (pendingMovement(next) !== undefined) {
    const decided = await advance(deps, leased, next, { ...step, ...keepLease(deps) });
    return decided && { payout: decided, pollAt: pollAfterMs === undefined ? "done" : pollAt };
  }
  const waitMs = next.stage === "unknown" ? pollBackoffMs(next.asked, pollAfterMs) : pollAfterMs;
  const due = { at: call.at, work: soon(deps, waitMs ?? retryMs) };
  await advance(deps, leased, next, { ...step, ...due });
  return undefined;
}

/**
 * When to ask again after an answer that changed nothing. A settled payout may come back: where its
 * rail wants to be asked and cannot tell, it is asked ever more seldom, for it may never tell.
 */
function nextPollAt(
  deps: RailWorkerDeps,
  { progress, updatedAt }: Payout,
  { status, pollAfterMs }: RailResponse,
): Date | "done" {
  const isOpen = publicStatusOf(progress).status === "initiated";
  if (pollAfterMs === undefined) return isOpen ? later(deps, pollIntervalMaxMs) : "done";
  if (isOpen) return soon(deps, pollAfterMs);
  if (status.kind === "settled") return later(deps, pollAfterMs);
  const settledForMs = deps.clock.now().getTime() - updatedAt.getTime();
  return later(deps, Math.max(pollAfterMs, settledForMs / 4));
}

/** A rail that does not know is asked ever more seldom, and never forgotten. */
function pollBackoffMs(asked: number, pollAfterMs = retryMs): number {
  return Math.min(pollAfterMs * 2 ** Math.min(asked - 1, 20), pollIntervalMaxMs);
}
