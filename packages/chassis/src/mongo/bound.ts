import type { Collection, Document, Filter, OptionalUnlessRequiredId } from "mongodb";
import { insertOnce } from "./once.ts";

/**
 * Inserts a document unless `of` finds `max` already; give `of` an index. Returns `exists` where a
 * unique index has the document's key. The count after the insert includes every document that was
 * inserted before it, so concurrent inserts never leave more than `max`. At the bound they may
 * refuse each other. A crash between insert and count can leave one too many.
 */
export async function insertWithin<T extends Document>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
  { of, max }: { readonly of: Filter<T>; readonly max: number },
): Promise<"inserted" | "exists" | "full"> {
  const count = () => collection.countDocuments(of, { limit: max + 1 });
  if ((await count()) >= max) return "full";
  if (!(await insertOnce(collection, document))) return "exists";
  if ((await count()) <= max) return "inserted";
  await collection.deleteOne({ _id: document._id } as Filter<T>);
  return "full";
}
