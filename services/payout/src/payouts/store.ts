import { callContext } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type PayoutDocument, type Payouts, payoutDocument, toPayout } from "./document.ts";
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

/** Stores a new payout with its first event; a repeat answers with the stored one. */
export async function insertPayout(payouts: Payouts, payout: Payout, actor: StoredActor) {
  const document = payoutDocument(payout, actor, callContext()?.requestId);
  return toPayout(await insertOrFind(payouts, document, { _id: payout.id }));
}
