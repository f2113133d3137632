import type { Collection, Document, Filter, OptionalUnlessRequiredId, UpdateFilter } from "mongodb";
import { insertOnce } from "./once.ts";

/**
 * Inserts a document unless the filter `of` already matches `max` documents. The filter needs an
 * index. Returns `exists` if a unique index already has the document's key. Documents are counted
 * again after the insert. This count includes every earlier insert, so concurrent inserts never
 * leave more than `max`. At the limit, concurrent inserts may refuse each other. One document too
 * many can remain after a crash between insert and count, or if a repeated request calls `findKept`
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
 * Finds a document that `insertWithin` inserted, for a repeated request. After this call the first
 * attempt can no longer remove the document.
 */
export function findKept<T extends Document>(collection: Collection<T>, filter: Filter<T>) {
  const update = { $unset: { only_try: "" } } as unknown as UpdateFilter<T>;
  return collection.findOneAndUpdate(filter, update, { returnDocument: "after" });
}
