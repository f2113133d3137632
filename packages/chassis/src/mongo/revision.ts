import type { Collection, Document } from "mongodb";

/** Every change of such a document raises its revision. */
export type Revised = { readonly _id: string; readonly revision: number };

/**
 * Sets top-level fields of a document and raises its revision, if the revision has not changed
 * since it was read. Returns `false` if another write came first. The guard is in the update
 * because a filter of `_id` alone costs the database less (docs/PERFORMANCE.md).
 */
export async function setAtRevision<T extends Document & Revised>(
  collection: Collection<T>,
  { _id, revision }: Revised,
  fields: Partial<Omit<T, "_id" | "revision">>,
): Promise<boolean> {
  // A literal, so that text with a leading dollar sign is not an expression.
  const changed = { $literal: { ...fields, revision: revision + 1 } };
  const isAsRead = { $eq: ["$revision", revision] };
  const next = { $cond: [isAsRead, { $mergeObjects: ["$$ROOT", changed] }, "$$ROOT"] };
  const { modifiedCount } = await collection.updateOne({ _id } as never, [{ $replaceWith: next }]);
  return modifiedCount === 1;
}
