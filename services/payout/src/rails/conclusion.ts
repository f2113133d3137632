import { closingMovement, pendingMovement } from "../payouts/rules/movement.ts";
import type { Progress } from "../payouts/rules/progress.ts";
import type { LeasedPayout } from "../payouts/work.ts";
import { advance, type RailWorkerDeps } from "./steps.ts";

/** Moves the money that a decided outcome owes, once; only then is the outcome told. */
export async function moveMoney(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  pollAt: Date | "done",
): Promise<undefined> {
  const { payout } = leased;
  const { accounts, clock, onChanged } = deps;
  const owed = pendingMovement(payout.progress);
  if (owed === undefined) throw new Error("a payout without an outcome owes no movement");
  const { accountId, merchantId } = payout.quote;
  const movement = closingMovement(payout, owed.step);
  const { outcome } = await accounts.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`${owed.step} not applied: ${outcome}`);
  const { stage } = owed.to;
  const cause = stage === "rejected" || stage === "returned" ? stage : "settled";
  const work = workAfter(stage, pollAt, clock.now());
  const step = { cause, detail: `${owed.step} applied`, at: clock.now(), work } as const;
  if ((await advance(deps, leased, owed.to, step)) !== undefined) onChanged();
}

/** A settled payout is asked for as its rail wants; one that came back already goes on at once. */
function workAfter(stage: Progress["stage"], pollAt: Date | "done", now: Date): Date | "done" {
  if (stage === "returning") return now;
  return stage === "settled" ? pollAt : "done";
}
