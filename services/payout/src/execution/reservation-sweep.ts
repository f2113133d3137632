import type { Log } from "@disburse/chassis/log.ts";
import { fromStored } from "@disburse/chassis/mongo/stored.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { isHeld } from "@disburse/ledger/accounts.ts";
import { readHoldId } from "@disburse/ledger/rules/account.ts";
import { isCreated } from "../payouts/document.ts";
import { holdOf, type PayoutOrder } from "../payouts/rules/payout.ts";
import type { Open, Reservation, ReservationOutcome } from "../velocity/rules/usage.ts";
import { settle } from "../velocity/rules/usage.ts";
import type { UsageStore } from "../velocity/usage.ts";
import type { ExecuteDeps } from "./execute.ts";
import { readQuote } from "./reads.ts";

type SweepDeps = Pick<ExecuteDeps, "ledger" | "payouts" | "clock" | "quote"> & {
  readonly usage: UsageStore;
  readonly log: Log;
};

/**
 * Closes reservations whose payouts exist, and releases reservations that can no longer become a
 * payout. It is safe to run while executes run.
 */
export async function sweepReservations(deps: SweepDeps): Promise<void> {
  const now = deps.clock.now();
  for (const { id, reservations } of await deps.usage.due(now)) {
    const open = reservations.filter((each): each is OpenReservation =>
      each.open === undefined ? false : each.open.checkAt <= now,
    );
    const outcomes = await outcomesOf(deps, open);
    await deps.usage.change(id, (usage, databaseNow) => ({
      usage: settle(usage, outcomes, databaseNow),
      answer: undefined,
    }));
    for (const [payout_id, outcome] of outcomes) {
      if (outcome === "abandoned")
        deps.log.debug(
          { payout_id },
          "reservation of a velocity limit released: its payout was never created",
        );
    }
  }
}

type OpenReservation = Reservation & { readonly open: Open };

async function outcomesOf(deps: SweepDeps, open: readonly OpenReservation[]) {
  const ids = open.map(({ payoutId }) => readHoldId(payoutId).payoutId);
  const found = deps.payouts.find(
    { _id: { $in: ids }, ...isCreated },
    { projection: { _id: 1, progress: 1, "order.quote_id": 1, "order.waited": 1 } },
  );
  const stages = new Map(
    ids.length === 0
      ? []
      : (await found.toArray()).map(({ order, progress }) => [
          holdOf(fromStored<PayoutOrder>(order)),
          progress.stage,
        ]),
  );
  const outcomes = new Map<string, ReservationOutcome>();
  for (const reservation of open) {
    const { payoutId } = reservation;
    const stage = stages.get(payoutId);
    // The payout failed and released its limits before a late execute made this reservation.
    const ofPayout = stage === "rejected" || stage === "cancelled" ? "abandoned" : "exists";
    outcomes.set(payoutId, stage === undefined ? await outcomeOf(deps, reservation) : ofPayout);
  }
  return outcomes;
}

/**
 * Returns the outcome of a reservation without a payout. While there is a hold or an unexpired
 * quote, the reservation may still become a payout.
 */
async function outcomeOf(
  deps: SweepDeps,
  { payoutId, open }: OpenReservation,
): Promise<ReservationOutcome> {
  try {
    if (await isHeld(deps.ledger, open.accountId, payoutId)) return "undecided";
    const read = await readQuote(deps, open.quoteId);
    if (read === undefined) return "abandoned";
    const { state, expiresAt } = read.executable;
    const isOver = state === "expired" || (state === "open" && read.now >= expiresAt);
    return isOver ? "abandoned" : "undecided";
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    deps.log.warn(
      { payout_id: payoutId },
      "reservation of a velocity limit kept: the quote service is unavailable",
    );
    return "undecided";
  }
}
