import type { Collection, Document } from "mongodb";

/** A document whose every change raises its revision. */
export type Revised = { readonly _id: string; readonly revision: number };

/**
 * Sets top-level fields of a document and raises its revision, if that is as it was read; `false`:
 * another write came first. A filter of `_id` alone with the guard in the update costs the database
 * less than a filter of both.
 */
export async function setAtRevision<T extends Document & Revised>(
  collection: Collection<T>,
  { _id, revision }: Revised,
  fields: Partial<Omit<T, "_id" | "revision">>,
): Promise<boolean> {
  // A literal: text that begins with a dollar sign is no expression here.
  const changed = { $literal: { ...fields, revision: revision + 1 } };
  const isAsRead = { $eq: ["$revision", revision] };
  const next = { $cond: [isAsRead, { $mergeObjects: ["$$ROOT", changed] }, "$$ROOT"] };
  const { modifiedCount } = await collection.updateOne({ _id } as never, [{ $replaceWith: next }]);
  return modifiedCount === 1;
}
