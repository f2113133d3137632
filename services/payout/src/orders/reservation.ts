import { Code, ConnectError } from "@connectrpc/connect";
import { idPrefixes } from "@disburse/kernel/id.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Ledger } from "@disburse/ledger/accounts.ts";
import { type OrderDocument, type Orders, toOrder } from "./document.ts";
import { findOrder } from "./store.ts";

export type ReservationDeps = { readonly orders: Orders; readonly ledger: Ledger };

/**
 * Reserves the maximum of a new order, which then waits for its time. The order is stored before,
 * in a state in which nothing pays it. A repeat finishes what a crash left. If there is too little
 * money, the order is removed.
 */
export async function reserve(
  deps: ReservationDeps,
  document: OrderDocument,
): Promise<
  | OrderDocument
  | Refused<
      "INSUFFICIENT_BALANCE" | "SOURCE_ACCOUNT_CLOSED" | "RECORD_NOT_FOUND" | "INVALID_REQUEST"
    >
> {
  const { _id: id, merchant_id: merchantId, account_id: accountId } = document;
  const { maxSource: amount } = toOrder(document).terms;
  if (amount === undefined) throw new Error("an order without a maximum reserves nothing");
  const note = toOrder(document).terms.details.referenceId;
  const movement = { step: "reserve", orderId: id, amount, note } as const;
  const { outcome } = await deps.ledger.apply({ merchantId, accountId }, movement);
  if (outcome === "applied") return confirm(deps, document);
  // The account refused the reservation. Only another attempt of this operation may have had it.
  const { deletedCount } = await deps.orders.deleteOne({ _id: id, state: "reserving" });
  const other = deletedCount === 1 ? undefined : await findOrder(deps.orders, id);
  if (other !== undefined) return other;
  switch (outcome) {
    case "insufficient":
      return refused("INSUFFICIENT_BALANCE");
    case "closed":
      return refused("SOURCE_ACCOUNT_CLOSED");
    case "no_account":
      return refused("RECORD_NOT_FOUND");
    default:
      throw new Error(`the order's money could not be reserved: ${outcome}`);
  }
}

/**
 * Lets an order wait for its time, once its money is reserved. A sweep may have given up the order
 * meanwhile. The reservation then ends too.
 */
async function confirm(deps: ReservationDeps, document: OrderDocument): Promise<OrderDocument> {
  const { _id: id, account_id: accountId } = document;
  const waiting = { state: "waiting", due_at: "$scheduled_at", updated_at: "$$NOW" };
  await deps.orders.updateOne({ _id: id, state: "reserving" }, [{ $set: waiting }]);
  const confirmed = await findOrder(deps.orders, id);
  if (confirmed !== undefined) {
    deps.ledger.closeHold(accountId, id);
    return confirmed;
  }
  await unreserve(deps, document);
  throw new ConnectError("the reservation took too long: repeat the request", Code.Unavailable);
}

/**
 * Ends an order's reservation. It changes nothing if the reservation has become the payout's hold,
 * or has ended before.
 */
async function unreserve(
  { ledger }: ReservationDeps,
  { _id: orderId, ...order }: Pick<OrderDocument, "_id" | "merchant_id" | "account_id">,
): Promise<void> {
  const target = { merchantId: order.merchant_id, accountId: order.account_id };
  const movement = { step: "unreserve", orderId, note: "" } as const;
  const { outcome } = await ledger.apply(target, movement);
  if (outcome === "applied" || outcome === "nothing_to_end") return;
  throw new Error(`the money reserved for an order was not given back: ${outcome}`);
}

const ended = ["executed", "failed", "cancelled"] as const;

/** Gives back what an ended order has reserved. */
export async function giveBack(deps: ReservationDeps, document: OrderDocument): Promise<void> {
  const { _id, state, reserved } = document;
  if (reserved === undefined || !ended.some((each) => each === state)) return;
  await unreserve(deps, document);
  await deps.orders.updateOne({ _id }, { $unset: { reserved: "" } });
}

/** Reads an order and gives back what it has reserved, if it has ended. */
export async function giveBackOf(deps: ReservationDeps, id: string): Promise<void> {
  const document = await findOrder(deps.orders, id);
  if (document !== undefined) await giveBack(deps, document);
}

/** The number of orders that one run takes on. */
const sweptMax = 100;

/**
 * Gives back the reservations of ended orders, such as those whose approval expired. Also removes
 * orders that an interrupted request left before their money was reserved.
 */
export async function sweepReserved(deps: ReservationDeps, now: Date): Promise<void> {
  const found = await deps.orders
    .find({ reserved: true, state: { $in: ["reserving", ...ended] } }, { hint: "reserved" })
    .limit(sweptMax)
    .toArray();
  for (const document of found) {
    if (document.state !== "reserving") await giveBack(deps, document);
    else if (+document.created_at < +now - abandonedAfterMs) await abandon(deps, document._id);
  }
}

/** No request runs longer than this. */
const abandonedAfterMs = 60_000;

function abandon({ orders }: ReservationDeps, id: string) {
  return orders.deleteOne({ _id: id, state: "reserving" });
}

/** The open reservations of accounts, for the sweep of accounts. */
export function openReservations(deps: ReservationDeps) {
  return {
    /** Returns the confirmed ones among the ids of open holds. */
    confirmed: async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const own = ids.filter((id) => id.startsWith(`${idPrefixes.scheduledPayout}_`));
      if (own.length === 0) return new Set();
      const found = deps.orders.find(
        { _id: { $in: own }, state: { $ne: "reserving" } },
        { projection: { _id: 1 } },
      );
      return new Set((await found.toArray()).map(({ _id }) => _id));
    },
    /**
     * Ends a reservation that an interrupted request left: the merchant got no response. Returns
     * `false` if the id is not an order's.
     */
    end: async (account: { _id: string; merchant_id: string }, id: string): Promise<boolean> => {
      if (!id.startsWith(`${idPrefixes.scheduledPayout}_`)) return false;
      await abandon(deps, id);
      if ((await findOrder(deps.orders, id)) !== undefined) return true;
      const { _id: account_id, merchant_id } = account;
      await unreserve(deps, { _id: id, account_id, merchant_id });
      return true;
    },
  };
}
