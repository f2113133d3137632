import type { Db, Decimal128 } from "mongodb";
import { fromDecimal128, toDecimal128 } from "../mongo/database.ts";
import { onceByKey } from "../mongo/once.ts";

/** The total amount that one person moved without a second person, in one currency and day. */
type SumDocument = {
  /** The currency and the operator whose sum this is: `<currency> <person>`. */
  _id: string;
  schema_version: number;
  /** Each write requires the revision that was read, and sets a new one. */
  revision: string;
  done: { operation: string; amount: Decimal128; at: Date }[];
};

/** An amount in minor units that one person moves without a second person. */
export type OwnWork = {
  readonly person: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Unique among the operations of the service. */
  readonly operation: string;
};

export type DailySums = ReturnType<typeof openDailySums>;

/** The length of a rolling day, so that work shortly before and after midnight counts together. */
const dayMs = 24 * 60 * 60 * 1_000;
/**
 * The maximum number of pieces of work in one document. Further work in the same day needs a second
 * person.
 */
const piecesMax = 1_000;

/** Opens the collection `approval_sums` of a service's database. */
export function openDailySums({ db }: { readonly db: Db }) {
  const sums = db.collection<SumDocument>("approval_sums");
  const write = async (found: SumDocument | null, _id: string, done: SumDocument["done"]) => {
    const fields = { schema_version: 1, revision: crypto.randomUUID(), done };
    if (found === null) return onceByKey(() => sums.insertOne({ _id, ...fields }));
    const { revision } = found;
    const { matchedCount } = await sums.updateOne({ _id, revision }, { $set: fields });
    return matchedCount === 1;
  };
  const idOf = ({ currency, person }: OwnWork) => `${currency} ${person}`;
  return {
    /**
     * Adds work to a person's sum of one day if the sum then stays within `limit` (minor units).
     * Returns true if the work was added. A repeated operation counts once.
     */
    add: async (work: OwnWork, limit: bigint, now: Date): Promise<boolean> => {
      const _id = idOf(work);
      for (;;) {
        const found = await sums.findOne({ _id });
        const all = (found?.done ?? []).filter(({ at }) => now.getTime() - at.getTime() < dayMs);
        if (all.some(({ operation }) => operation === work.operation)) return true;
        const sum = all.reduce((total, each) => total + fromDecimal128(each.amount), work.amount);
        if (sum > limit || all.length >= piecesMax) return false;
        const amount = toDecimal128(work.amount);
        const done = [...all, { operation: work.operation, amount, at: now }];
        if (await write(found, _id, done)) return true;
      }
    },
    /** Removes work from the sum because it had no effect. */
    remove: async (work: OwnWork): Promise<void> => {
      const { operation } = work;
      const revision = crypto.randomUUID();
      await sums.updateOne(
        { _id: idOf(work) },
        { $pull: { done: { operation } }, $set: { revision } },
      );
    },
  };
}
