import type { Collection, Document, Filter, OptionalUnlessRequiredId, WithId } from "mongodb";
import { isDuplicateKey } from "./database.ts";

/** Runs a write; returns `false` if a unique index has its key already, and nothing has changed. */
export async function onceByKey(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Inserts a document; returns `false` if a unique index has its key already. */
export function insertOnce<T extends Document>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  return onceByKey(() => collection.insertOne(document));
}

/** Inserts a document, or returns the existing one that `by` finds; throws if there is none. */
export async function insertOrFind<T extends Document>(
  collection: Collection<T>,
  document: WithId<T>,
  by: Filter<T>,
): Promise<WithId<T>> {
  try {
    await collection.insertOne(document as OptionalUnlessRequiredId<T>);
    return document;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const first = await collection.findOne(by);
    if (first === null) throw error;
    return first;
  }
}

/**
 * Changes or inserts a document by a write whose filter excludes documents that the operation has
 * already changed. `write` runs as an upsert first. A duplicate key means a repeated operation, or
 * a document that another process has just inserted: the write then runs once more without upsert.
 */
export async function upsertOnce(write: (upsert: boolean) => Promise<unknown>): Promise<void> {
  if (!(await onceByKey(() => write(true)))) await write(false);
}
