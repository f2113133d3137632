import type { Log } from "@disburse/chassis/log.ts";
import { fromStored } from "@disburse/chassis/mongo/stored.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { closeHolds, type Ledger, openHolds } from "../ledger/accounts.ts";
import type { OrderDocument } from "../payouts/document.ts";
import type { PayoutOrder } from "../payouts/rules/payout.ts";
import { ordersIn } from "../payouts/store.ts";
import { claimAndCreate, type ExecuteDeps } from "./execute.ts";

/** Collects holds whose payouts were just created, so that one write of an account closes many. */
export function createHoldCloser(ledger: Ledger) {
  let collected = new Map<string, string[]>();
  return {
    /** Returns at once; the sweep closes what a crash forgets. */
    close: (accountId: string, payoutId: string): void => {
      const ids = collected.get(accountId);
      if (ids === undefined) collected.set(accountId, [payoutId]);
      else ids.push(payoutId);
    },
    /** Closes what was collected; `true`: there may be more. */
    flush: async (): Promise<boolean> => {
      const toClose = collected;
      collected = new Map();
      for (const [accountId, ids] of toClose) await closeHolds(ledger, accountId, ids);
      return collected.size > 0;
    },
  };
}

/** No execute runs for so long; after it a hold without a payout is orphaned. */
export const orphanedAfterMs = 5_000;

type SweepDeps = ExecuteDeps & {
  readonly log: Log;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** Claims and creates the payout of each orphaned hold, or releases it; safe beside executes. */
export async function sweepHolds(deps: SweepDeps): Promise<void> {
  const { ledger, payouts, clock } = deps;
  const before = new Date(clock.now().getTime() - orphanedAfterMs);
  for await (const { accountId, holds } of openHolds(ledger, before)) {
    const ids = holds.map(({ payout_id }) => payout_id);
    const projection = { order: 1, status: 1, request_id: 1, traceparent: 1 };
    const found = await ordersIn(payouts)
      .find({ _id: { $in: ids } }, { projection })
      .toArray();
    const made = found.filter((each) => "status" in each).map(({ _id }) => _id);
    await closeHolds(ledger, accountId, made);
    const orders = new Map(found.map((each) => [each._id, each]));
    for (const { payout_id, since } of holds) {
      if (made.includes(payout_id)) continue;
      const order = orders.get(payout_id);
      if (order === undefined) deps.log.error({ payout_id }, "held money has no order");
      else {
        const finishing = { name: "finish orphaned hold", since };
        await resume(deps.tracing, order, finishing, () => finish(deps, accountId, order));
      }
    }
  }
}

async function finish(
  deps: SweepDeps,
  accountId: string,
  { _id: payout_id, order }: OrderDocument,
): Promise<void> {
  try {
    const result = await claimAndCreate(deps, accountId, fromStored<PayoutOrder>(order));
    const event = isRefused(result) ? "orphaned hold released" : "orphaned hold completed";
    deps.log.warn({ payout_id }, event);
  } catch (error) {
    if (isUnavailable(error)) {
      deps.log.warn({ payout_id }, "orphaned hold waits for the quote service");
    } else {
      deps.log.error({ err: error, payout_id }, "orphaned hold not finished");
    }
  }
}
