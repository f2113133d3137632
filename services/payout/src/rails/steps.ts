import type { Client } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Ledger } from "../ledger/accounts.ts";
import type { Payouts } from "../payouts/document.ts";
import { type PayoutException, raiseException } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../payouts/rules/progress.ts";
import { advance, type LeasedPayout, leaseMs, release, type Step } from "../payouts/work.ts";
import type { RailDirectory } from "./directory.ts";

/** What a rail worker works with. */
export type RailWorkerDeps = {
  readonly ledger: Ledger;
  readonly payouts: Payouts;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: RailDirectory;
  /** The process of the worker, which its leases name. */
  readonly place: string;
  /** A payout that is open for so long after its submission gets an exception. */
  readonly stuckAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when there is an event to publish. */
  readonly onChanged: () => void;
};

/** A payout after a step, and when to poll its rail next. */
export type StepResult = { readonly payout: Payout; readonly pollAt: Date | "done" };

/** The longest time to the next work on an open payout, whatever its rail says. */
export const deferMaxMs = 600_000;

/** Writes a step of a payout and logs it, with the time since the step before. */
export async function takeStep(
  { payouts, log }: RailWorkerDeps,
  leased: LeasedPayout,
  progress: Progress,
  step: Step,
): Promise<Payout | undefined> {
  const { payout } = leased;
  const advanced = await advance(payouts, payout, progress, step);
  // A concurrent write won. Where it left the lease, the next worker goes on.
  if (advanced === undefined) return release(payouts, leased, { work: step.at });
  const { stage } = advanced.progress;
  const { status } = publicStatusOf(advanced.progress);
  const stood_ms = step.at.getTime() - payout.updatedAt.getTime();
  log.info(
    { payout_id: payout.id, stage, status, cause: step.detail, stood_ms },
    "payout advanced",
  );
  return advanced;
}

/** The exception of a payout that is open for too long, where it has none. */
export function overdueException(
  { clock }: RailWorkerDeps,
  { exception }: Payout,
): { readonly exception?: PayoutException } {
  if (exception !== undefined) return {};
  return { exception: raiseException(undefined, "stuck", clock.now()) };
}

/** A time from now. */
export function fromNow({ clock }: RailWorkerDeps, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

/** The renewed lease of a step after which this worker continues. */
export function renewedLease(deps: RailWorkerDeps): Pick<Step, "at" | "work"> {
  return { at: deps.clock.now(), work: { leasedUntil: fromNow(deps, leaseMs) } };
}
