import type { Collection, Document, Filter, OptionalUnlessRequiredId, UpdateFilter } from "mongodb";
import { insertOnce } from "./once.ts";

/**
 * Inserts a document unless `of` finds `max` already; give `of` an index. Returns `exists` if a
 * unique index has the document's key. The count after the insert includes every earlier insert, so
 * concurrent inserts never leave more than `max`. At the bound they may refuse each other. A crash
 * between insert and count can leave one too many, and so can a repeat that `findKept` has answered
 * in between.
 */
export async function insertWithin<T extends Document>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
  { of, max }: { readonly of: Filter<T>; readonly max: number },
): Promise<"inserted" | "exists" | "full"> {
  const count = () => collection.countDocuments(of, { limit: max + 1 });
  if ((await count()) >= max) return "full";
  const only_try = crypto.randomUUID();
  if (!(await insertOnce(collection, { ...document, only_try }))) return "exists";
  if ((await count()) <= max) return "inserted";
  const own = { _id: document._id, only_try } as Filter<T>;
  const { deletedCount } = await collection.deleteOne(own);
  return deletedCount === 1 ? "full" : "inserted";
}

/**
 * Finds a document of `insertWithin` for a repeat. After that the first attempt can't remove it.
 */
export function findKept<T extends Document>(collection: Collection<T>, filter: Filter<T>) {
  const update = { $unset: { only_try: "" } } as unknown as UpdateFilter<T>;
  return collection.findOneAndUpdate(filter, update, { returnDocument: "after" });
}
