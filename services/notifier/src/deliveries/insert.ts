import { isOnlyDuplicateKeys } from "@disburse/chassis/mongo/database.ts";
import { type Collection, MongoBulkWriteError, type OptionalUnlessRequiredId } from "mongodb";

/** Inserts the documents that are not stored yet. Returns the indices of the others. */
export async function insertNew<T extends { _id: string }>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  try {
    const rows = documents as readonly OptionalUnlessRequiredId<T>[];
    await collection.insertMany(rows, { ordered: false });
    return new Set();
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isOnlyDuplicateKeys(error)) throw error;
    return new Set([error.writeErrors].flat().map(({ index }) => index));
  }
}
