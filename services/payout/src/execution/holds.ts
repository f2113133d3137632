import type { Bus } from "@disburse/chassis/bus/bus.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { fromStored } from "@disburse/chassis/mongo/stored.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { AccountDocument, OpenHold } from "@disburse/ledger/documents.ts";
import { readHoldId } from "@disburse/ledger/rules/account.ts";
import { tidyAccount, untidyAccounts } from "@disburse/ledger/tidy.ts";
import { quietMs } from "@disburse/ledger/writer.ts";
import type { OrderDocument } from "../payouts/document.ts";
import { holdOf, type PayoutOrder } from "../payouts/rules/payout.ts";
import { ordersIn } from "../payouts/store.ts";
import { claimAndCreate, type ExecuteDeps } from "./execute.ts";

/**
 * No execute runs longer than this. An older hold without a payout was left by a crash and is
 * called orphaned.
 */
export const orphanedAfterMs = quietMs;

type SweepDeps = ExecuteDeps & {
  readonly log: Log;
  /** Returns the holds of waiting payouts from which no payout can be created any more. */
  readonly endedAttempts: (holdIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly bus?: Bus;
  readonly tracing?: Tracing | undefined;
  /** The reservations of scheduled payouts. They are open holds until their order is confirmed. */
  readonly openReservations: {
    readonly confirmed: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
    readonly end: (
      account: { readonly _id: string; readonly merchant_id: string },
      id: string,
    ) => Promise<boolean>;
  };
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
    const confirmed = await deps.openReservations.confirmed(idsOf(accounts));
    const isCreated = (id: string) => "status" in (orders.get(id) ?? {}) || confirmed.has(id);
    const tidied = await Promise.allSettled(
      accounts.map((account) => tidyAccount(ledger, account, { isCreated, now, bus })),
    );
    failures.push(...tidied.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])));
    for (const account of accounts) {
      const { _id, open_holds } = account;
      const orphaned = open_holds.filter(
        ({ payout_id, since }) => !isCreated(payout_id) && +since < +now - orphanedAfterMs,
      );
      // After the first attempt of a waiting payout, its own worker creates the payout.
      const isLater = ({ payout_id }: OpenHold) => readHoldId(payout_id).attempt !== undefined;
      const hasOrder = (hold: OpenHold) => !isLater(hold) && orders.has(hold.payout_id);
      await endOthers(
        deps,
        account,
        orphaned.filter((hold) => !hasOrder(hold)),
      );
      for (const { payout_id, since } of orphaned.filter(hasOrder)) {
        const order = orders.get(payout_id);
        if (order === undefined) continue;
        const finishing = { name: "finish orphaned hold", since };
        await resume(deps.tracing, order, finishing, () => finish(deps, _id, order));
      }
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "accounts not tidied");
}

function idsOf(accounts: readonly AccountDocument[]): string[] {
  return accounts.flatMap(({ open_holds }) => open_holds.map(({ payout_id }) => payout_id));
}

/**
 * Ends holds without an order. An interrupted request left a reservation, or an earlier attempt of a
 * waiting payout left its hold. The hold is released only if no payout can be created from it.
 */
async function endOthers(deps: SweepDeps, account: AccountDocument, orphaned: readonly OpenHold[]) {
  const holds: OpenHold[] = [];
  for (const hold of orphaned) {
    if (!(await deps.openReservations.end(account, hold.payout_id))) holds.push(hold);
  }
  if (holds.length === 0) return;
  const ended = await deps.endedAttempts(holds.map(({ payout_id }) => payout_id));
  for (const { payout_id } of holds) {
    const { attempt } = readHoldId(payout_id);
    if (ended.has(payout_id)) {
      await endHold(deps, account._id, payout_id);
    } else if (attempt === undefined) {
      deps.log.error(
        { payout_id },
        "hold has neither a payout nor an order from which to create one",
      );
    }
  }
}

async function endHold({ ledger, log }: SweepDeps, accountId: string, payout_id: string) {
  const { accounts } = ledger;
  const account = await accounts.findOne({ _id: accountId }, { projection: { merchant_id: 1 } });
  if (account === null) return;
  const movement = { step: "release", ...readHoldId(payout_id), ofOrder: true } as const;
  const target = { merchantId: account.merchant_id, accountId };
  const { outcome } = await ledger.apply(target, { ...movement, note: "quote expired" });
  log.warn({ payout_id, outcome }, "orphaned hold released: its attempt has ended");
}

/** Returns the orders and payouts of open holds, by the id of the hold. */
async function ordersOf({ payouts }: SweepDeps, accounts: readonly AccountDocument[]) {
  const ids = idsOf(accounts).map((id) => readHoldId(id).payoutId);
  if (ids.length === 0) return new Map<string, OrderDocument>();
  const projection = { order: 1, status: 1, request_id: 1, traceparent: 1 };
  const found = await ordersIn(payouts)
    .find({ _id: { $in: ids } }, { projection })
    .toArray();
  return new Map(found.map((each) => [holdOf(fromStored<PayoutOrder>(each.order)), each]));
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
