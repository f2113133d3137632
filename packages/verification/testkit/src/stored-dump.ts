import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { BSON, type Document, type IndexDescription, MongoClient } from "mongodb";

const { EJSON } = BSON;

/** A collection of a dump: its indexes and its documents as they were stored. */
type DumpedCollection = {
  readonly database: string;
  readonly collection: string;
  readonly indexes: readonly IndexDescription[];
  readonly documents: readonly Document[];
};

/** Databases that an engine has for itself. */
const ownDatabases = new Set(["admin", "config", "local"]);

async function databasesOf(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db("admin").admin().listDatabases();
  const names = databases.map(({ name }) => name).filter((name) => !ownDatabases.has(name));
  return names.sort();
}

/** The indexes of every collection of an engine, each under `database.collection`. */
export async function readIndexes(
  uri: string,
): Promise<ReadonlyMap<string, readonly IndexDescription[]>> {
  const client = new MongoClient(uri);
  try {
    const indexes = new Map<string, readonly IndexDescription[]>();
    for (const database of await databasesOf(client)) {
      for (const each of await client.db(database).collections()) {
        indexes.set(each.namespace, await each.indexes());
      }
    }
    return indexes;
  } finally {
    await client.close();
  }
}

/** Writes every collection of an engine to a file: gzip of one line of canonical EJSON for each. */
export async function writeDump(uri: string, path: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    const lines: string[] = [];
    for (const database of await databasesOf(client)) {
      const db = client.db(database);
      const collections = await db.listCollections({}, { nameOnly: true }).toArray();
      for (const { name } of collections.sort((one, two) => (one.name < two.name ? -1 : 1))) {
        const documents = await db
          .collection(name)
          .find({}, { promoteValues: false, sort: { _id: 1 } })
          .toArray();
        const indexes = await db.collection(name).indexes();
        const dumped: DumpedCollection = { database, collection: name, indexes, documents };
        lines.push(EJSON.stringify(dumped, { relaxed: false }));
      }
    }
    writeFileSync(path, gzipSync(`${lines.join("\n")}\n`, { level: 9 }));
  } finally {
    await client.close();
  }
}

/** Puts a dump into an engine that has none of its databases. */
export async function loadDump(path: string, uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    for (const line of gunzipSync(readFileSync(path)).toString().trimEnd().split("\n")) {
      const dumped = EJSON.parse(line, { relaxed: false }) as DumpedCollection;
      const collection = client.db(dumped.database).collection(dumped.collection);
      const indexes = dumped.indexes.filter(({ name }) => name !== "_id_");
      if (indexes.length > 0) await collection.createIndexes([...indexes]);
      if (dumped.documents.length > 0) await collection.insertMany([...dumped.documents]);
    }
  } finally {
    await client.close();
  }
}
