import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { leaseMs } from "../payouts/leases.ts";
import {
  afterWithdrawal,
  cancelled,
  isTakenBack,
  nextOfCancellation,
} from "../payouts/rules/cancellation.ts";
import { isOverdue } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import type { Progress } from "../payouts/rules/progress.ts";
import { findPayout } from "../payouts/store.ts";
import { advance, type LeasedPayout, release } from "../payouts/work.ts";
import { closeDecided } from "./closing.ts";
import {
  fromNow,
  overdueAfterMs,
  overdueException,
  type RailWorkerDeps,
  railTimeoutMs,
  renewedLease,
  retryMs,
  type StepResult,
  takeStep,
} from "./steps.ts";

/** What cancelling works with. */
export type CancelDeps = Pick<
  RailWorkerDeps,
  "ledger" | "payouts" | "room" | "rails" | "clock" | "log" | "onChanged"
> & {
  /** Called when there is work on a payout. */
  readonly wake: () => void;
};

type Cancelled = Payout | Refused<"RECORD_NOT_FOUND" | "NOT_CANCELLABLE">;

const notCancellable = refused("NOT_CANCELLABLE");

/**
 * Cancels a payout, and answers when its money is available again. Of a queued one its own document
 * decides, as it does on its submission; of a submitted one its rail, which is asked only when the
 * payout says that it is: a crash in between is a cancellation still, which a worker completes.
 */
export async function cancelPayout(
  deps: CancelDeps,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
  by: Change,
): Promise<Cancelled> {
  for (;;) {
    // Each round finds what the one before has written, or who was faster.
    const payout = await findPayout(deps.payouts, payoutId, { merchant_id: merchantId });
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    switch (nextOfCancellation(payout)) {
      case "conclude":
        await step(deps, payout, cancelled, "cancelled before it was sent", by);
        break;
      case "intend":
        if (deps.rails.named(payout.rail)?.withdraw === undefined) return notCancellable;
        await step(deps, payout, { stage: "cancelling" }, "to be cancelled", by);
        break;
      case "withdraw":
        if (!(await withdrawn(deps, payout, by))) return notCancellable;
        break;
      case "close":
        await closeDecided(deps, payout);
        break;
      case "over":
        return payout;
      case "refused":
        return notCancellable;
    }
  }
}

/** Asks the rail of a payout to take it back, and stores what it says. */
async function withdrawn(deps: CancelDeps, payout: Payout, by: Change): Promise<boolean> {
  const isWithdrawn = await askToWithdraw(deps, payout).catch((error: unknown) => {
    deps.log.warn({ err: error, payout_id: payout.id }, "rail did not say whether it withdraws");
    throw new ConnectError("the rail did not answer", Code.Unavailable);
  });
  await step(deps, payout, afterWithdrawal(isWithdrawn), withdrawalText(isWithdrawn), by);
  if (!isWithdrawn) deps.wake();
  return isWithdrawn;
}

/**
 * Whether a rail took a payout back, by two answers of its own: that it never pays it, and what
 * became of it. One that was paid and came back, or that only people can judge, is never paid again
 * either: such an outcome is taken by the next poll. A rail that is not there gives no answer.
 */
async function askToWithdraw(
  { rails }: Pick<CancelDeps, "rails">,
  { rail: name, id }: Payout,
): Promise<boolean> {
  const rail = rails.named(name);
  if (rail === undefined) throw new Error(`rail ${name} is not configured`);
  return withTimeout(railTimeoutMs, async () => {
    const isNeverPaid = (await rail.withdraw?.(id)) ?? false;
    return isNeverPaid && isTakenBack(await rail.query(id));
  });
}

function withdrawalText(isWithdrawn: boolean): string {
  return isWithdrawn ? "its rail took it back" : "not cancelled: its rail did not take it back";
}

/** A write of a cancellation; the worker that takes over waits until this one can be done. */
async function step(
  { payouts, clock, log }: CancelDeps,
  payout: Payout,
  to: Progress,
  detail: string,
  by: Change,
): Promise<void> {
  const at = clock.now();
  const isOver = to.stage === "submitting";
  const work = isOver ? at : new Date(at.getTime() + leaseMs);
  const cause = "cancelled" as const;
  if ((await advance(payouts, payout, to, { cause, detail, at, by, work })) === undefined) return;
  log.debug({ payout_id: payout.id, stage: to.stage, cause: detail }, "payout advanced");
}

/** Completes a cancellation that was left open, as far as its rail says: the work of a worker. */
export async function takeBack(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
): Promise<StepResult | undefined> {
  const { payout } = leased;
  let isWithdrawn: boolean;
  try {
    isWithdrawn = await askToWithdraw(deps, payout);
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.id }, "rail did not say whether it withdraws");
    const isOverdueNow = isOverdue(
      payout.submittedAt,
      deps.clock.now(),
      overdueAfterMs(deps, payout),
    );
    const exception = isOverdueNow ? overdueException(deps, payout) : {};
    return release(deps.payouts, leased, { work: fromNow(deps, retryMs), ...exception });
  }
  const detail = withdrawalText(isWithdrawn);
  const cause = "cancelled" as const;
  const taken = { cause, detail, ...renewedLease(deps) };
  const next = await takeStep(deps, leased, afterWithdrawal(isWithdrawn), taken);
  return next && { leased: next, pollAt: deps.clock.now() };
}
