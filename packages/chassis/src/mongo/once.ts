import type { Collection, Document, Filter, OptionalUnlessRequiredId, WithId } from "mongodb";
import { isDuplicateKey } from "./database.ts";

/**
 * Runs a write. Returns `false` if a unique index already has its key. Nothing has changed then.
 */
export async function onceByKey(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Inserts a document. Returns `false` if a unique index already has its key. */
export function insertOnce<T extends Document>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  return onceByKey(() => collection.insertOne(document));
}

/** The document in the way may be removed before it is read. This happens rarely twice. */
const insertsMax = 5;

/**
 * Inserts a document, or returns the existing one that matches `by`. Throws if neither succeeds.
 */
export async function insertOrFind<T extends Document>(
  collection: Collection<T>,
  document: WithId<T>,
  by: Filter<T>,
): Promise<WithId<T>> {
  for (let inserts = 1; ; inserts += 1) {
    try {
      await collection.insertOne(document as OptionalUnlessRequiredId<T>);
      return document;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const first = await collection.findOne(by);
      if (first !== null) return first;
      if (inserts === insertsMax) throw error;
    }
  }
}

/**
 * Changes or inserts a document. The filter of the write must exclude documents that the operation
 * has already changed. `write` first runs as an upsert. A duplicate key means that the operation is
 * repeated, or that another process has just inserted the document. In that case the write runs
 * again without upsert.
 */
export async function upsertOnce(write: (upsert: boolean) => Promise<unknown>): Promise<void> {
  if (!(await onceByKey(() => write(true)))) await write(false);
}
