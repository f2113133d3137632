import type { Client } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AccountStore } from "../ledger/accounts.ts";
import { type PayoutException, raiseException } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../payouts/rules/progress.ts";
import type { PayoutStore } from "../payouts/store.ts";
import { type LeasedPayout, leaseMs, type Release, type Step } from "../payouts/work.ts";
import type { RailDirectory } from "./directory.ts";

/** What a worker works with. */
export type RailWorkerDeps = {
  readonly accounts: AccountStore;
  readonly payouts: PayoutStore;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: RailDirectory;
  /** A payout that is open for so long after its submission is put before the operators. */
  readonly stuckAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when there is an event to publish. */
  readonly onChanged: () => void;
};

/** A payout as a step left it, and when its rail wants to be asked again. */
export type StepResult = { readonly payout: Payout; readonly pollAt: Date | "done" };

/** A payout that is not at its end is put off no longer than this, whatever its rail says. */
export const deferMaxMs = 600_000;

/** Writes a step of a payout and tells of it, with how long the payout stood where it was. */
export async function advance(
  { payouts, log }: RailWorkerDeps,
  leased: LeasedPayout,
  progress: Progress,
  step: Step,
): Promise<Payout | undefined> {
  const { payout } = leased;
  const moved = await payouts.advance(payout, progress, step);
  if (moved === undefined) {
    // Somebody was faster. Whoever did not take the lease along leaves the work to the next one.
    await payouts.release(leased, { work: step.at });
    return undefined;
  }
  const { stage } = moved.progress;
  const { status } = publicStatusOf(moved.progress);
  const stood_ms = step.at.getTime() - payout.updatedAt.getTime();
  log.info(
    { payout_id: payout.id, stage, status, cause: step.detail, stood_ms },
    "payout moved on",
  );
  return moved;
}

/** Ends the lease without a change of state: this worker is done with the payout for now. */
export async function release(
  { payouts }: RailWorkerDeps,
  leased: LeasedPayout,
  ending: Release,
): Promise<undefined> {
  await payouts.release(leased, ending);
}

/** The doubt of a payout that stands still, where nobody doubts it yet. */
export function stuck(
  { clock }: RailWorkerDeps,
  { doubt }: Payout,
): { readonly doubt?: PayoutException } {
  return doubt === undefined ? { doubt: raiseException(undefined, "stuck", clock.now()) } : {};
}

/** A time from now. */
export function later({ clock }: RailWorkerDeps, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

/** Of a payout that is not at its end, whatever its rail says. */
export function soon(deps: RailWorkerDeps, ms: number): Date {
  return later(deps, Math.min(ms, deferMaxMs));
}

/** Of a step after which this worker goes on: the lease begins anew. */
export function keepLease(deps: RailWorkerDeps): Pick<Step, "at" | "work"> {
  return { at: deps.clock.now(), work: { leasedUntil: later(deps, leaseMs) } };
}
