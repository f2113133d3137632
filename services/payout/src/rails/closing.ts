import { currentOrigin } from "@disburse/chassis/call-context.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { type ClosingStep, closingMovement, pendingMovement } from "../payouts/rules/movement.ts";
import { holdOf, type Payout } from "../payouts/rules/payout.ts";
import { causeOfEnd } from "../payouts/rules/timeline.ts";
import { advance } from "../payouts/work.ts";
import { endFunds } from "../treasury/accounts.ts";
import type { RailWorkerDeps } from "./steps.ts";

/**
 * Moves the money of a decided outcome once, first in the rail's account and then in the
 * merchant's. After a crash in between, a repeated call completes the movement. A call after that
 * changes nothing.
 */
export async function movePending(
  { ledger, reservations }: Pick<RailWorkerDeps, "ledger" | "reservations">,
  payout: Payout,
  step: ClosingStep,
): Promise<void> {
  const { quote, order } = payout;
  const { accountId, merchantId, destinationKeys } = quote;
  if (payout.isFunded) await endFunds(ledger, payout, step);
  const { outcome } = await ledger.apply({ merchantId, accountId }, closingMovement(payout, step));
  if (outcome !== "applied") throw new Error(`the movement ${step} was not applied: ${outcome}`);
  // An unpaid payout no longer counts towards its merchant's velocity limits.
  if (step === "release") {
    await reservations.giveBack(holdOf(order), {
      merchantId,
      destinationKeys,
      actorRoot: rootOfActor(order.actor),
    });
  }
}

/** Moves the money of a decided outcome and publishes the outcome. Doesn't call the rail. */
export async function closeDecided(
  deps: Pick<RailWorkerDeps, "ledger" | "reservations" | "payouts" | "clock" | "onChanged">,
  payout: Payout,
): Promise<void> {
  const pending = pendingMovement(payout.progress);
  if (pending === undefined) throw new Error("the payout has no pending movement");
  await movePending(deps, payout, pending.step);
  const at = deps.clock.now();
  const work = pending.to.stage === "returning" ? at : "done";
  const cause = causeOfEnd(pending.to);
  const closing = { cause, detail: `${pending.step} applied`, at, work } as const;
  const closed = await advance(deps.payouts, payout, pending.to, closing);
  const event = closed?.event;
  if (event !== undefined) deps.onChanged({ payoutId: payout.id, origin: currentOrigin(), event });
}
