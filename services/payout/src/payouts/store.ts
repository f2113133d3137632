import { callContext } from "@disburse/chassis/call-context.ts";
import { type Database, ensureIndexes } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type PayoutDocument, type Payouts, payoutDocument, toPayout } from "./document.ts";
import type { Payout } from "./rules/payout.ts";

/** Fields that a list can be filtered by; each has an index that also gives the order. */
const listedFields = [
  "status",
  "beneficiary_id",
  "reference_id",
  "quote_id",
  "source",
  "destination",
];

const listed = (field: string) =>
  ({ merchant_id: 1, [field]: 1, created_at: -1, _id: -1 }) as const;

/** Opens the payouts. What is polled has an index that a payout leaves when it is at its end. */
export async function openPayouts({ db }: Database): Promise<Payouts> {
  await ensureIndexes(db, "payouts", [
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: "list" },
    ...listedFields.map((field) => ({ key: listed(field), name: `list_${field}` })),
    { key: { work_due_at: 1 }, name: "work", sparse: true },
    { key: { "outbox.at": 1 }, name: "outbox", sparse: true },
    { key: { "untallied.at": 1 }, name: "untallied", sparse: true },
    {
      key: { "doubt.since": 1, _id: 1 },
      name: "doubt",
      partialFilterExpression: { "doubt.since": { $exists: true } },
    },
    { key: { published_at: 1, _id: 1 }, name: "published", sparse: true },
  ]);
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
