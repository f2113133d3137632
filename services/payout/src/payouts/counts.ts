import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Collection } from "mongodb";
import type { PayoutDocument, Payouts } from "./document.ts";
import type { PayoutStatus } from "./rules/progress.ts";

/** A merchant's counts by status: a list's `total_count` costs one read. */
type CountsDocument = Record<PayoutStatus, number> & {
  _id: string;
  schema_version: number;
  revision: number;
  /** The last counted changes: one that a crash left in its payout is not counted twice. */
  counted: string[];
};

/** Payouts of one run. */
const countBatch = 200;
/** More than several runs: a change that a crash left is still known when it is read again. */
const countedMax = 2_000;

/** Far less than 2,000 changes take to arrive: older ones may be counted and forgotten. */
const countWithinMs = 10_000;

/** Counts of payouts. */
export type PayoutCounts = ReturnType<typeof openPayoutCounts>;

/** Keeps the counts of payouts by merchant and status, from the changes that payouts carry. */
export function openPayoutCounts({ db }: Database, payouts: Payouts) {
  const counts = db.collection<CountsDocument>("payout_counts");
  return {
    /** Counts the changes that payouts carry; `true`: there may be more. */
    run: async (): Promise<boolean> => {
      const readAt = performance.now();
      const isFresh = () => performance.now() - readAt < countWithinMs;
      const found = await payouts
        .find({ "untallied.at": { $gt: new Date(0) } })
        .project<Uncounted>({ merchant_id: 1, untallied: 1 })
        .sort({ "untallied.at": 1 })
        .limit(countBatch)
        .toArray();
      const byMerchant = Map.groupBy(found, ({ merchant_id }) => merchant_id);
      for (const [merchantId, carrying] of byMerchant) {
        const changes = carrying.flatMap(({ untallied }) => untallied);
        while (!(await addToCounts(counts, merchantId, changes, isFresh)));
        const ids = changes.map(({ id }) => id);
        const removals = carrying.map(({ _id }) => ({
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

type Uncounted = Pick<PayoutDocument, "_id" | "merchant_id" | "untallied">;

/** Adds changes to a merchant's counts; `false`: a concurrent write won. */
async function addToCounts(
  counts: Collection<CountsDocument>,
  merchantId: string,
  changes: PayoutDocument["untallied"],
  isFresh: () => boolean,
): Promise<boolean> {
  const before = await counts.findOne({ _id: merchantId });
  // After the read: a stall before it is noticed here, one after it by the revision.
  if (!isFresh()) throw new Error("the run took too long and begins again");
  const counted = new Set(before?.counted);
  const fresh = changes.filter(({ id }) => !counted.has(id));
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
  return insertOnce(counts, after);
}
