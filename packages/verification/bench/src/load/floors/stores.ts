import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from "mongodb";

/** A document of a floor. */
export type Row = { readonly _id: string } & Document;

/** What a floor asks of the database; two stores answer it in two ways. */
export type FloorStore = {
  find(collection: string, id: string): Promise<Row | null>;
  insert(collection: string, rows: readonly Row[]): Promise<void>;
  /** Whether a document matched. */
  update(collection: string, filter: Filter<Row>, update: Document): Promise<boolean>;
};

/** One command at a time, as a first version of a program would send them. */
export function naiveStore(client: MongoClient, database: string): FloorStore {
  const of = (collection: string) => client.db(database).collection<Row>(collection);
  return {
    find: (collection, id) => of(collection).findOne({ _id: id }),
    insert: async (collection, rows) => {
      const [row] = rows;
      if (rows.length === 1 && row !== undefined) await of(collection).insertOne(row);
      else await of(collection).insertMany([...rows]);
    },
    update: async (collection, filter, update) => {
      return (await of(collection).updateOne(filter, update)).matchedCount === 1;
    },
  };
}

/**
 * Writes that are asked for while a bulk is under way go into the next, whatever their collection;
 * reads by id of one turn of the event loop are one query for each collection.
 */
export function groupedStore(client: MongoClient, database: string): FloorStore {
  const write = groupedWrites(client);
  const find = groupedReads(client, database);
  const namespaceOf = (collection: string) => `${database}.${collection}`;
  return {
    find,
    insert: async (collection, rows) => {
      const namespace = namespaceOf(collection);
      await write(rows.map((document) => ({ name: "insertOne" as const, namespace, document })));
    },
    update: async (collection, filter, update) => {
      const namespace = namespaceOf(collection);
      return (await write([{ name: "updateOne" as const, namespace, filter, update }])) === 1;
    },
  };
}

type Models = readonly AnyClientBulkWriteModel<Row>[];
type WaitingWrite = PromiseWithResolvers<number> & { readonly models: Models };

/** Answers how many documents the updates of a write matched. */
function groupedWrites(client: MongoClient): (models: Models) => Promise<number> {
  let waiting: WaitingWrite[] = [];
  let isUnderWay = false;
  const flush = async () => {
    isUnderWay = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await writeGroup(client, group);
    }
    isUnderWay = false;
  };
  return (models) => {
    const write = { ...Promise.withResolvers<number>(), models };
    waiting.push(write);
    if (!isUnderWay) void flush();
    return write.promise;
  };
}

async function writeGroup(client: MongoClient, group: readonly WaitingWrite[]): Promise<void> {
  try {
    const models = group.flatMap((write) => write.models);
    const options = { ordered: false, verboseResults: true };
    const { updateResults } = await client.bulkWrite<Record<string, Row>>(models, options);
    let at = 0;
    for (const { models: own, resolve } of group) {
      const matched = own.map((_, nth) => updateResults?.get(at + nth)?.matchedCount ?? 0);
      at += own.length;
      resolve(matched.reduce((sum, count) => sum + count, 0));
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

function groupedReads(client: MongoClient, database: string): FloorStore["find"] {
  const waiting = new Map<string, Promise<Map<string, Row>>>();
  const ids = new Map<string, string[]>();
  const readTurn = async (collection: string) => {
    await new Promise(setImmediate);
    waiting.delete(collection);
    const wanted = ids.get(collection) ?? [];
    ids.delete(collection);
    const rows = client.db(database).collection<Row>(collection);
    const found = await rows.find({ _id: { $in: wanted } }).toArray();
    return new Map(found.map((row) => [row._id, row]));
  };
  return async (collection, id) => {
    ids.getOrInsert(collection, []).push(id);
    const turn = waiting.getOrInsertComputed(collection, readTurn);
    return (await turn).get(id) ?? null;
  };
}
