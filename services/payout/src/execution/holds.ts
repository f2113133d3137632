import type { Bus } from "@disburse/chassis/bus/bus.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { fromStored } from "@disburse/chassis/mongo/stored.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AccountDocument } from "@disburse/ledger/documents.ts";
import { tidyAccount, untidyAccounts } from "@disburse/ledger/tidy.ts";
import { quietMs } from "@disburse/ledger/writer.ts";
import type { OrderDocument } from "../payouts/document.ts";
import type { PayoutOrder } from "../payouts/rules/payout.ts";
import { ordersIn } from "../payouts/store.ts";
import { claimAndCreate, type ExecuteDeps } from "./execute.ts";

/**
 * No execute runs longer than this. An older hold without a payout was left by a crash and is
 * called orphaned.
 */
export const orphanedAfterMs = quietMs;

type SweepDeps = ExecuteDeps & {
  readonly log: Log;
  readonly bus?: Bus;
  readonly tracing?: Tracing | undefined;
};

/**
 * Tidies accounts, and ends their orphaned holds. For each one it creates the payout if the quote
 * can be claimed, and otherwise releases the money. It is safe to run while executes run. An error
 * in one account does not stop the others.
 */
export async function sweepAccounts(deps: SweepDeps): Promise<void> {
  const { ledger, bus, clock } = deps;
  const now = clock.now();
  const failures: unknown[] = [];
  for await (const accounts of untidyAccounts(ledger, now)) {
    const orders = await ordersOf(deps, accounts);
    const isCreated = (payoutId: string) => "status" in (orders.get(payoutId) ?? {});
    const tidied = await Promise.allSettled(
      accounts.map((account) => tidyAccount(ledger, account, { isCreated, now, bus })),
    );
    failures.push(...tidied.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])));
    for (const { _id, open_holds } of accounts) {
      const orphaned = open_holds.filter(
        ({ payout_id, since }) => !isCreated(payout_id) && +since < +now - orphanedAfterMs,
      );
      for (const { payout_id, since } of orphaned) {
        const order = orders.get(payout_id);
        if (order === undefined) {
          deps.log.error(
            { payout_id },
            "hold has neither a payout nor an order from which to create one",
          );
          continue;
        }
        const finishing = { name: "finish orphaned hold", since };
        await resume(deps.tracing, order, finishing, () => finish(deps, _id, order));
      }
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "accounts not tidied");
}

async function ordersOf({ payouts }: SweepDeps, accounts: readonly AccountDocument[]) {
  const ids = accounts.flatMap(({ open_holds }) => open_holds.map(({ payout_id }) => payout_id));
  if (ids.length === 0) return new Map<string, OrderDocument>();
  const projection = { order: 1, status: 1, request_id: 1, traceparent: 1 };
  const found = await ordersIn(payouts)
    .find({ _id: { $in: ids } }, { projection })
    .toArray();
  return new Map(found.map((each) => [each._id, each]));
}

async function finish(
  deps: SweepDeps,
  accountId: string,
  { _id: payout_id, order }: OrderDocument,
): Promise<void> {
  try {
    const result = await claimAndCreate(deps, accountId, fromStored<PayoutOrder>(order));
    const event = isRefused(result)
      ? "orphaned hold released: its payout was refused"
      : "orphaned hold completed: its payout was created";
    deps.log.warn({ payout_id }, event);
  } catch (error) {
    if (isUnavailable(error)) {
      deps.log.warn(
        { payout_id },
        "orphaned hold not completed: the quote service is unavailable; it will be retried",
      );
    } else {
      deps.log.error(
        { err: error, payout_id },
        "completing an orphaned hold failed; it will be retried",
      );
    }
  }
}
