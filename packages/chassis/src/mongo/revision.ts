import type { Collection, Document } from "mongodb";

/** A document whose revision rises with every change. */
export type Revised = { readonly _id: string; readonly revision: number };

/**
 * Sets top-level fields of a document and raises its revision, if the revision has not changed
 * since it was read. Returns `false` if another write came first. The revision is compared in the
 * update, because a filter on `_id` alone costs the database less (docs/explanation/performance.md).
 */
export async function setAtRevision<T extends Document & Revised>(
  collection: Collection<T>,
  { _id, revision }: Revised,
  fields: Partial<Omit<T, "_id" | "revision">>,
): Promise<boolean> {
  // `$literal` is needed because text with a leading dollar sign would otherwise be an expression.
  const changed = { $literal: { ...fields, revision: revision + 1 } };
  const isAsRead = { $eq: ["$revision", revision] };
  const next = { $cond: [isAsRead, { $mergeObjects: ["$$ROOT", changed] }, "$$ROOT"] };
  const { modifiedCount } = await collection.updateOne({ _id } as never, [{ $replaceWith: next }]);
  return modifiedCount === 1;
}
