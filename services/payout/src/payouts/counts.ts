import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import type { PayoutDocument } from "./document.ts";
import type { PayoutStatus } from "./rules/progress.ts";
import type { PayoutStore } from "./store.ts";

/**
 * A merchant's kept counts: a list's `total_count` costs one read, however many payouts there are.
 */
type CountsDocument = Record<PayoutStatus, number> & {
  _id: string;
  schema_version: number;
  revision: number;
  /**
   * The last events that were counted: a crash before they left their payouts counts none twice.
   */
  counted: string[];
};

/** Payouts that one run counts. */
const countBatch = 200;
/** Several runs' worth, so that what a crash left is still known when it comes again. */
const countedMax = 2_000;

/**
 * Far less than 2,000 events take to come: what a run found may have been counted and forgotten.
 */
const countWithinMs = 10_000;

export type PayoutCounts = ReturnType<typeof openPayoutCounts>;

/** Keeps the counts of payouts by merchant and status, from what each change of status owes. */
export function openPayoutCounts({ db }: Database, { collection: payouts }: PayoutStore) {
  const counts = db.collection<CountsDocument>("payout_counts");
  return {
    /** Counts what payouts owe; answers whether there may be more. */
    run: async (): Promise<boolean> => {
      const findingAt = performance.now();
      const isFresh = () => performance.now() - findingAt < countWithinMs;
      const found = await payouts
        .find({ "untallied.at": { $gt: new Date(0) } })
        .project<Owing>({ merchant_id: 1, untallied: 1 })
        .sort({ "untallied.at": 1 })
        .limit(countBatch)
        .toArray();
      const byMerchant = Map.groupBy(found, ({ merchant_id }) => merchant_id);
      for (const [merchantId, owing] of byMerchant) {
        const owed = owing.flatMap(({ untallied }) => untallied);
        while (!(await addToCounts(counts, merchantId, owed, isFresh)));
        const ids = owed.map(({ id }) => id);
        const removals = owing.map(({ _id }) => ({
          updateOne: { filter: { _id }, update: { $pull: { untallied: { id: { $in: ids } } } } },
        }));
        await payouts.bulkWrite(removals, { ordered: false });
      }
      return found.length === countBatch;
    },

    /** A merchant's payouts, of one status or of all; a second behind at most. */
    total: async (merchantId: string, status: PayoutStatus | undefined): Promise<number> => {
      const kept = await counts.findOne({ _id: merchantId }, { projection: { counted: 0 } });
      if (kept === null) return 0;
      return status === undefined ? kept.initiated + kept.succeeded + kept.failed : kept[status];
    },
  };
}

type Owing = Pick<PayoutDocument, "_id" | "merchant_id" | "untallied">;

/** Adds events to a merchant's counts; `false` when somebody else changed them meanwhile. */
async function addToCounts(
  counts: Collection<CountsDocument>,
  merchantId: string,
  owed: PayoutDocument["untallied"],
  isFresh: () => boolean,
): Promise<boolean> {
  const before = await counts.findOne({ _id: merchantId });
  // Asked after the read: a stall before it is noticed here, one after it by the revision.
  if (!isFresh()) throw new Error("the run took too long and begins again");
  const counted = new Set(before?.counted);
  const fresh = owed.filter(({ id }) => !counted.has(id));
  if (fresh.length === 0) return true;
  const after: CountsDocument = {
    _id: merchantId,
    schema_version: 1,
    initiated: before?.initiated ?? 0,
    succeeded: before?.succeeded ?? 0,
    failed: before?.failed ?? 0,
    revision: (before?.revision ?? 0) + 1,
    counted: [...(before?.counted ?? []), ...fresh.map(({ id }) => id)].slice(-countedMax),
  };
  for (const { from, to } of fresh) {
    after[to] += 1;
    if (from !== null) after[from] -= 1;
  }
  if (before !== null) {
    const { revision } = before;
    return (await counts.replaceOne({ _id: merchantId, revision }, after)).modifiedCount === 1;
  }
  try {
    await counts.insertOne(after);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
