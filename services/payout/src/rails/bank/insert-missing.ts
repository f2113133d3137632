import { isOnlyDuplicateKeys } from "@disburse/chassis/mongo/database.ts";
import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";

/** Inserts those documents whose keys are not there yet. */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<void> {
  if (documents.length === 0) return;
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    if (!isOnlyDuplicateKeys(error)) throw error;
  }
}
