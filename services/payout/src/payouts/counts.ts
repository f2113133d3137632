import { type CountRead, createCache } from "@disburse/chassis/cache.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { LRUCache } from "lru-cache";
import type { Collection } from "mongodb";
import type { PayoutDocument, Payouts, UncountedChange } from "./document.ts";
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

/** With the time until a change is counted, less than the second that a total may be behind. */
const totalFreshMs = 500;
const merchantsMax = 10_000;

/** Less than 2,000 changes of a merchant take: older ones may be counted and forgotten. */
const countWithinMs = 4_000;

/** Counts of payouts. */
export type PayoutCounts = ReturnType<typeof openPayoutCounts>;

/** Keeps the counts of payouts by merchant and status, from the changes that payouts carry. */
export function openPayoutCounts({ db }: Database, payouts: Payouts, countRead?: CountRead) {
  const counts = db.collection<CountsDocument>("payout_counts");
  const revisions = new LRUCache<string, number>({ max: merchantsMax });
  const totals = createCache<Record<PayoutStatus, number>>({
    name: "payout_counts",
    max: merchantsMax,
    freshMs: totalFreshMs,
    countRead,
    read: async (merchantId) =>
      (await counts.findOne({ _id: merchantId }, { projection: { counted: 0 } })) ?? undefined,
  });
  /**
   * Adds changes, each once, that were read at a time of `performance.now()`; `false`: that was
   * too long ago, and they have to be read again.
   */
  const add = async (merchantId: string, changes: readonly UncountedChange[], readAt: number) => {
    let left = changes;
    while (left.length > 0) {
      const added = await addToCounts({ counts, revisions }, merchantId, left, readAt);
      if (added === "late") return false;
      totals.drop(merchantId);
      left = added ? [] : await uncounted(counts, merchantId, left);
    }
    return true;
  };
  return {
    add,
    /** Counts what `select` takes of the changes that payouts carry; `true`: there may be more. */
    run: async (select: SelectChanges = (changes) => changes): Promise<boolean> => {
      const readAt = performance.now();
      const found = await payouts
        .find({ "untallied.at": { $gt: new Date(0) } }, { hint: "untallied" })
        .project<Uncounted>({ merchant_id: 1, untallied: 1 })
        .limit(countBatch)
        .toArray();
      const selected = new Set(select(found.flatMap(({ untallied }) => untallied)));
      const byMerchant = Map.groupBy(found, ({ merchant_id }) => merchant_id);
      for (const [merchantId, carrying] of byMerchant) {
        const taken = carrying.map(({ _id, untallied }) => ({
          _id,
          changes: untallied.filter((each) => selected.has(each)),
        }));
        const changes = taken.flatMap((each) => each.changes);
        if (!(await add(merchantId, changes, readAt))) {
          throw new Error("the run took too long and begins again");
        }
        const removals = taken.map(async ({ _id, changes: of }) => {
          const id = { $in: of.map((change) => change.id) };
          if (of.length > 0) await payouts.updateOne({ _id }, { $pull: { untallied: { id } } });
        });
        await Promise.all(removals);
      }
      return selected.size >= countBatch;
    },

    /** A merchant's payouts, of one status or of all; a second behind at most. */
    total: async (merchantId: string, status: PayoutStatus | undefined): Promise<number> => {
      const kept = await totals.get(merchantId);
      if (kept === undefined) return 0;
      return status === undefined ? kept.initiated + kept.succeeded + kept.failed : kept[status];
    },
  };
}

/** Takes those of the changes that are to be counted now. */
type SelectChanges = (changes: readonly UncountedChange[]) => readonly UncountedChange[];

type Uncounted = Pick<PayoutDocument, "_id" | "merchant_id" | "untallied">;

/** The counts, with the revisions that this process has written. */
type Counted = {
  readonly counts: Collection<CountsDocument>;
  readonly revisions: LRUCache<string, number>;
};

/** Adds changes to a merchant's counts; `false`: one of them was counted, or another write won. */
async function addToCounts(
  { counts, revisions }: Counted,
  merchantId: string,
  changes: readonly UncountedChange[],
  readAt: number,
): Promise<boolean | "late"> {
  const remembered = revisions.get(merchantId);
  revisions.delete(merchantId);
  const revision = remembered ?? (await readRevision(counts, merchantId));
  // After the read: a stall before it is noticed here, one after it by the revision.
  if (performance.now() - readAt >= countWithinMs) return "late";
  const ids = changes.map(({ id }) => id);
  const sums = { initiated: 0, succeeded: 0, failed: 0 };
  for (const { from, to } of changes) {
    sums[to] += 1;
    if (from !== null) sums[from] -= 1;
  }
  if (revision === undefined) {
    const first = { _id: merchantId, schema_version: 1, revision: 1, counted: ids };
    return insertOnce(counts, { ...first, ...sums });
  }
  // The document is large: it is changed where it is, and not sent.
  const { matchedCount } = await counts.updateOne(
    { _id: merchantId, revision, counted: { $nin: ids } },
    { $inc: { ...sums, revision: 1 }, $push: { counted: { $each: ids, $slice: -countedMax } } },
  );
  if (matchedCount === 1) revisions.set(merchantId, revision + 1);
  return matchedCount === 1;
}

async function readRevision(counts: Collection<CountsDocument>, merchantId: string) {
  return (await counts.findOne({ _id: merchantId }, { projection: { revision: 1 } }))?.revision;
}

/** The changes that are not counted: a crash leaves counted ones in their payouts. */
async function uncounted(
  counts: Collection<CountsDocument>,
  merchantId: string,
  changes: readonly UncountedChange[],
): Promise<readonly UncountedChange[]> {
  const known = await counts.findOne({ _id: merchantId }, { projection: { counted: 1 } });
  const counted = new Set(known?.counted);
  return changes.filter(({ id }) => !counted.has(id));
}
