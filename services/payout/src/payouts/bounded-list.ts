import { countedTotal, countMax, countUpToMax } from "@disburse/chassis/paging/page.ts";
import type { Collection, Document, Filter, FindOptions, Sort } from "mongodb";
import {
  afterPlace,
  beyondPlace,
  type OrderName,
  type Place,
  placeFields,
  sortOf,
  upToPlace,
} from "./list-order.ts";

/** A list that reads by one index. */
export type BoundedReading = {
  readonly order: OrderName;
  /** All conditions. */
  readonly filter: object;
  /** The conditions that the index serves. */
  readonly indexed: object;
  /**
   * The other conditions. They are compared in at most 10,000 documents. Absent if the index serves
   * all conditions and the order, so that a page reads its own documents only.
   */
  readonly rest?: object | undefined;
  readonly options: Pick<FindOptions, "collation" | "hint">;
  /** The fields of a page. Absent to read whole documents. */
  readonly fields?: object;
};

/** The places of the documents of a collection. */
export type Placing<T> = {
  /** Renames the fields of a payout in a filter, a sort or a projection to those of the collection. */
  readonly named: (filter: object) => object;
  readonly placeOf: (document: T) => Place;
};

type Listed = Document & { _id: string; created_at: Date };

/** Reads pages and counts of a list. See docs/decisions/0078. */
export function boundedList<T extends Listed>(
  documents: Collection<T>,
  { order, filter, indexed, rest, options, fields }: BoundedReading,
  { named, placeOf }: Placing<T>,
) {
  const sort = named(sortOf(order) as object) as Sort;
  const narrowed = rest === undefined ? afterPlace : beyondPlace;
  const after = (conditions: object, start: Place | undefined) =>
    named(narrowed(conditions, order, start)) as Filter<T>;
  /** Returns the last document that may be read, if there are more. */
  const lastReadAfter = async (start: Place | undefined): Promise<Place | undefined> => {
    if (rest === undefined) return undefined;
    const projection = named(placeFields(order));
    const [last] = await documents
      .find(after(indexed, start), { ...options, projection })
      .sort(sort)
      .skip(countMax - 1)
      .limit(1)
      .toArray();
    return last && placeOf(last as T);
  };
  const within = (last: Place | undefined): object =>
    last === undefined ? filter : { $and: [indexed, upToPlace(order, last), rest ?? {}] };
  return {
    /** `next` is the place up to which the page is complete, if more documents may follow. */
    page: async (start: Place | undefined, limit: number) => {
      const last = await lastReadAfter(start);
      const projection = fields === undefined ? {} : { projection: fields };
      const read = await documents
        .find(after(within(last), start), { ...options, ...projection })
        .sort(sort)
        .limit(limit + 1)
        .toArray();
      const shown = read.slice(0, limit) as T[];
      const end = shown.at(-1);
      return { shown, next: read.length > limit && end !== undefined ? placeOf(end) : last };
    },
    count: async () => {
      const last = await lastReadAfter(undefined);
      const matching = named(within(last)) as Filter<T>;
      const total = countedTotal(await countUpToMax(documents, matching, options));
      return last === undefined ? total : { ...total, totalCountCapped: true };
    },
  };
}
