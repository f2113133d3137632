import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { type Refused, refused, refusedInState } from "@disburse/kernel/refusal.ts";
import { leaseMs } from "../payouts/leases.ts";
import {
  afterWithdrawal,
  cancelled,
  isTakenBack,
  nextOfCancellation,
} from "../payouts/rules/cancellation.ts";
import { isOverdue } from "../payouts/rules/exception.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { type Progress, publicStatusOf } from "../payouts/rules/progress.ts";
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

export type CancelDeps = Pick<
  RailWorkerDeps,
  "ledger" | "payouts" | "reservations" | "rails" | "clock" | "log" | "onChanged"
> & {
  /** Wakes the worker, because a payout is due. */
  readonly wake: () => void;
};

type Cancelled = Payout | Refused<"RECORD_NOT_FOUND" | "NOT_CANCELLABLE">;

function notCancellable({ progress }: Payout): Refused<"NOT_CANCELLABLE"> {
  const needed = "awaiting_approval, queued, awaiting_funds or not yet paid by its rail";
  return refusedInState("NOT_CANCELLABLE", "payout", publicStatusOf(progress).subStatus, needed);
}

/**
 * Cancels a payout. Returns when its money is available again. A queued payout is cancelled by a
 * conditional write. For a submitted payout the rail decides. The request is first stored in the
 * payout, so that a worker completes the cancellation after a crash.
 */
export async function cancelPayout(
  deps: CancelDeps,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
  by: Change,
): Promise<Cancelled> {
  for (;;) {
    // Each round reads the payout again, because the previous round or a concurrent writer may have
    // changed it.
    const payout = await findPayout(deps.payouts, payoutId, { merchant_id: merchantId });
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    switch (nextOfCancellation(payout)) {
      case "conclude":
        await step(deps, payout, cancelled, "cancelled before it was sent", by);
        break;
      case "intend":
        if (deps.rails.named(payout.rail)?.withdraw === undefined) return notCancellable(payout);
        await step(
          deps,
          payout,
          { stage: "cancelling" },
          "cancellation requested from the rail",
          by,
        );
        break;
      case "withdraw":
        if (!(await withdrawn(deps, payout, by))) return notCancellable(payout);
        break;
      case "close":
        await closeDecided(deps, payout);
        break;
      case "over":
        return payout;
      case "refused":
        return notCancellable(payout);
    }
  }
}

/** Asks the rail to withdraw the payout's transfer, and stores the result. */
async function withdrawn(deps: CancelDeps, payout: Payout, by: Change): Promise<boolean> {
  const isWithdrawn = await requestWithdrawal(deps, payout).catch((error: unknown) => {
    deps.log.warn(
      { err: error, payout_id: payout.id },
      "rail did not respond to a request to withdraw the transfer",
    );
    throw new ConnectError("the rail did not respond", Code.Unavailable);
  });
  await step(deps, payout, afterWithdrawal(isWithdrawn), withdrawalText(isWithdrawn), by);
  if (!isWithdrawn) deps.wake();
  return isWithdrawn;
}

/**
 * Asks the rail to withdraw a payout's transfer. Returns true if the rail confirms that it never
 * pays the transfer, and reports the transfer as rejected. Returns false for a transfer that was
 * returned or that operators must check; the next poll applies its outcome. Throws if the rail is
 * not configured.
 */
async function requestWithdrawal(
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
  return isWithdrawn
    ? "the rail withdrew the transfer"
    : "not cancelled: the rail did not withdraw the transfer";
}

/**
 * Writes a step of a cancellation. Its work time keeps workers away while this call completes the
 * cancellation.
 */
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

/**
 * Completes a cancellation that a crash has interrupted, once the rail responds. A worker calls
 * this.
 */
export async function completeCancellation(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
): Promise<StepResult | undefined> {
  const { payout } = leased;
  let isWithdrawn: boolean;
  try {
    isWithdrawn = await requestWithdrawal(deps, payout);
  } catch (error) {
    deps.log.warn(
      { err: error, payout_id: payout.id },
      "rail did not respond to a request to withdraw the transfer",
    );
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
