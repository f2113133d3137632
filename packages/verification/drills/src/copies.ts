import type { Document, MongoClient } from "mongodb";

/** A backup of one database: the documents of each collection at one moment of rest. */
export type DatabaseCopy = ReadonlyMap<string, readonly Document[]>;

/** Copies every collection of a database. Nothing may be writing. */
export async function copyDatabase(client: MongoClient, name: string): Promise<DatabaseCopy> {
  const db = client.db(name);
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const copies = collections.map(
    async ({ name: each }) => [each, await db.collection(each).find().toArray()] as const,
  );
  return new Map(await Promise.all(copies));
}

/**
 * Brings a database back to a copy; its indexes stay. `kept` are collections that are not the
 * service's own data. Answers how many documents were lost, by collection.
 */
export async function restoreDatabase(
  client: MongoClient,
  name: string,
  copy: DatabaseCopy,
  kept: readonly string[] = [],
): Promise<ReadonlyMap<string, number>> {
  const lost = new Map<string, number>();
  const now = await copyDatabase(client, name);
  for (const [collection, documents] of now) {
    if (kept.includes(collection)) continue;
    const before = copy.get(collection) ?? [];
    const place = client.db(name).collection(collection);
    await place.deleteMany({});
    if (before.length > 0) await place.insertMany([...before]);
    if (documents.length > before.length) lost.set(collection, documents.length - before.length);
  }
  return lost;
}
