import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { isHeld } from "../ledger/accounts.ts";
import { isCreated } from "../payouts/document.ts";
import type { Fate, Open, Reservation } from "../velocity/rules/usage.ts";
import { settle } from "../velocity/rules/usage.ts";
import type { UsageStore } from "../velocity/usage.ts";
import type { ExecuteDeps } from "./execute.ts";
import { readQuote } from "./reads.ts";

type SweepDeps = Pick<ExecuteDeps, "ledger" | "payouts" | "clock" | "quote"> & {
  readonly usage: UsageStore;
  readonly log: Log;
};

/**
 * Looks what became of reserved room: closes reservations whose payouts exist, and gives back those
 * of which no payout can come any more. Safe beside executes.
 */
export async function sweepReservations(deps: SweepDeps): Promise<void> {
  const now = deps.clock.now();
  for (const { id, reservations } of await deps.usage.due(now)) {
    const open = reservations.filter((each): each is OpenReservation =>
      each.open === undefined ? false : each.open.lookAt <= now,
    );
    const fates = await fatesOf(deps, open);
    await deps.usage.change(id, (usage, databaseNow) => ({
      usage: settle(usage, fates, databaseNow),
      answer: undefined,
    }));
    for (const [payout_id, fate] of fates) {
      if (fate === "abandoned") deps.log.debug({ payout_id }, "room within a limit given back");
    }
  }
}

type OpenReservation = Reservation & { readonly open: Open };

async function fatesOf(deps: SweepDeps, open: readonly OpenReservation[]) {
  const ids = open.map(({ payoutId }) => payoutId);
  const found = deps.payouts.find(
    { _id: { $in: ids }, ...isCreated },
    { projection: { _id: 1, progress: 1 } },
  );
  const stages = new Map(
    ids.length === 0 ? [] : (await found.toArray()).map((each) => [each._id, each.progress.stage]),
  );
  const fates = new Map<string, Fate>();
  for (const reservation of open) {
    const { payoutId } = reservation;
    const stage = stages.get(payoutId);
    // Reserved by an execute that was late: its payout has failed, and gave its room back before.
    const ofPayout = stage === "rejected" || stage === "cancelled" ? "abandoned" : "exists";
    fates.set(payoutId, stage === undefined ? await fateOf(deps, reservation) : ofPayout);
  }
  return fates;
}

/** Without a payout: its held money may become one, and so may its quote until it has expired. */
async function fateOf(deps: SweepDeps, { payoutId, open }: OpenReservation): Promise<Fate> {
  try {
    if (await isHeld(deps.ledger, open.accountId, payoutId)) return "undecided";
    const read = await readQuote(deps, open.quoteId);
    if (read === undefined) return "abandoned";
    const { state, expiresAt } = read.executable;
    const isOver = state === "expired" || (state === "open" && read.now >= expiresAt);
    return isOver ? "abandoned" : "undecided";
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    deps.log.warn({ payout_id: payoutId }, "reserved room waits for the quote service");
    return "undecided";
  }
}
