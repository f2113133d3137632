import { isRefused } from "@disburse/kernel/refusal.ts";
import { doubted, isOverdue } from "../payouts/rules/exception.ts";
import { owedMovement } from "../payouts/rules/movement.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { faceOf } from "../payouts/rules/progress.ts";
import { afterWord } from "../payouts/rules/rail-report.ts";
import { causeOf } from "../payouts/rules/timeline.ts";
import type { LeasedPayout } from "../payouts/work.ts";
import { type Heard, retryMs } from "./calls.ts";
import {
  advance,
  goOn,
  later,
  type Moved,
  type RailWorkerDeps,
  release,
  soon,
  stuck,
} from "./steps.ts";

/** A payout that is not at its end is asked for so often, where its rail says no time. */
const unknownAskMaxMs = 60_000;

/**
 * Takes what a rail answered: `undefined` when there is nothing to do for now; a decided payout,
 * whose money has to move, goes on.
 */
export async function applyAnswer(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  heard: Heard,
): Promise<Moved | undefined> {
  const { payout } = leased;
  const { answer, askAfterMs, call } = heard;
  const next = afterWord(payout, heard);
  // A payout that is not at its end is asked for, also where the rail means to call back.
  const isOpen = faceOf(payout.progress).status === "initiated";
  const atLast = isOpen ? later(deps, unknownAskMaxMs) : "done";
  const askAt = askAfterMs === undefined ? atLast : later(deps, askAfterMs);
  if (isRefused(next)) {
    deps.log.error({ payout_id: payout.id, answer: answer.kind }, "rail contradicts itself");
    const doubt = doubted(payout.doubt, "contradicted", call.at);
    return release(deps, leased, { work: atLast, calls: [call], doubt });
  }
  if (next === "unchanged") {
    const overdue = isOpen && isOverdue(payout.submittedAt, call.at, deps.stuckAfterMs);
    const doubt = overdue ? stuck(deps, payout) : {};
    return release(deps, leased, {
      work: askAgainAt(deps, payout, heard),
      calls: [call],
      ...doubt,
    });
  }
  const step = { cause: causeOf(answer), detail: `rail said ${answer.kind}`, calls: [call] };
  if (owedMovement(next) !== undefined) {
    const decided = await advance(deps, leased, next, { ...step, ...goOn(deps) });
    return decided && { payout: decided, askAt: askAfterMs === undefined ? "done" : askAt };
  }
  const waitMs = next.stage === "unknown" ? unknownWaitMs(next.asked, askAfterMs) : askAfterMs;
  const due = { at: call.at, work: soon(deps, waitMs ?? retryMs) };
  await advance(deps, leased, next, { ...step, ...due });
  return undefined;
}

/**
 * When to ask again after an answer that changed nothing. A settled payout may come back: where its
 * rail wants to be asked and cannot tell, it is asked ever more seldom, for it may never tell.
 */
function askAgainAt(
  deps: RailWorkerDeps,
  { progress, updatedAt }: Payout,
  { answer, askAfterMs }: Heard,
): Date | "done" {
  const isOpen = faceOf(progress).status === "initiated";
  if (askAfterMs === undefined) return isOpen ? later(deps, unknownAskMaxMs) : "done";
  if (isOpen) return soon(deps, askAfterMs);
  if (answer.kind === "settled") return later(deps, askAfterMs);
  const settledForMs = deps.clock.now().getTime() - updatedAt.getTime();
  return later(deps, Math.max(askAfterMs, settledForMs / 4));
}

/** A rail that does not know is asked ever more seldom, and never forgotten. */
function unknownWaitMs(asked: number, askAfterMs = retryMs): number {
  return Math.min(askAfterMs * 2 ** Math.min(asked - 1, 20), unknownAskMaxMs);
}
