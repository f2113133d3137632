import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import {
  type Lease,
  type PayoutDocument,
  type Payouts,
  payoutDocument,
  type StatusChange,
  toPayout,
} from "./document.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Payout } from "./rules/payout.ts";

/** The payouts. */
export function openPayouts({ db }: Database): Payouts {
  return db.collection<PayoutDocument>("payouts");
}

/** A payout by its id; of one merchant where `own` names it. */
export async function findPayout(payouts: Payouts, id: string, own: { merchant_id?: string } = {}) {
  const found = await payouts.findOne({ _id: id, ...own });
  return found === null ? undefined : toPayout(found);
}

/** A payout that was stored now, with its first event. */
export type Created = {
  readonly payout: Payout;
  readonly origin: Origin;
  readonly created: StatusChange;
  /** Events beside that of its status. */
  readonly also: readonly PendingEvent[];
};

/** Stores a new payout with its first event; a repeat answers with the stored one. */
export async function insertPayout(
  payouts: Payouts,
  payout: Payout,
  lease?: Lease,
): Promise<Created | { readonly payout: Payout }> {
  const origin = currentOrigin();
  const document = payoutDocument(payout, origin, lease);
  const stored = await insertOrFind(payouts, document, { _id: payout.id });
  if (stored !== document) return { payout: toPayout(stored) };
  const [[event, ...also], [change]] = [document.outbox, document.untallied];
  if (event === undefined || change === undefined) throw new Error("a payout without its event");
  return { payout, origin, created: { event, change }, also };
}
