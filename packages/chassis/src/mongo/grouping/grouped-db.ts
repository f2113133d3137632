import type {
  Collection,
  Db,
  DeleteOptions,
  Document,
  Filter,
  FindOptions,
  InsertOneOptions,
  OptionalUnlessRequiredId,
  ReplaceOptions,
  UpdateFilter,
  UpdateOptions,
  WithoutId,
} from "mongodb";
import { type BulkWrite, createGroupCommit, type GroupCommit } from "./group-commit.ts";
import {
  createGroupedReads,
  findRawIn,
  findRawWithTimeIn,
  type ReadById,
} from "./grouped-reads.ts";
import type { ObserveBatch } from "./observe.ts";

/**
 * Wraps a database so that writes of single documents and reads by `_id` are batched. All other
 * methods go to the driver unchanged.
 */
export function groupedDb(db: Db, bulkWrite: BulkWrite | undefined, observe: ObserveBatch): Db {
  const commit = createGroupCommit(bulkWrite, observe);
  const collections = new Map<string, Collection>();
  const collection = (name: string): Collection => {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const namespace = `${db.databaseName}.${name}`;
    const grouped = groupedCollection(db.collection(name), namespace, commit, observe);
    collections.set(name, grouped);
    return grouped;
  };
  return Object.assign(Object.create(db), { collection });
}

/** Grouped reads that also return the database's time, by collection. */
const timedReads = new WeakMap<object, ReadById>();

/** Finds a document by its `_id`. Adds the database's time of the read as `now`. */
export async function findWithTime<T extends Document>(
  collection: Collection<T>,
  id: string,
): Promise<(T & { readonly now: Date }) | null> {
  const grouped = timedReads.get(collection);
  if (grouped !== undefined) return (await grouped(id)) as (T & { now: Date }) | null;
  const pipeline = [{ $match: { _id: id } }, { $set: { now: "$$NOW" } }];
  const [found] = await collection.aggregate<T & { now: Date }>(pipeline).toArray();
  return found ?? null;
}

type Write = Record<string, unknown>;

function groupedCollection(
  plain: Collection,
  namespace: string,
  { write }: GroupCommit,
  observe: ObserveBatch,
): Collection {
  const read = createGroupedReads(findRawIn(plain), observe);
  const methods = {
    insertOne: (document: OptionalUnlessRequiredId<Document>, options?: InsertOneOptions) => {
      const alone = () => plain.insertOne(document, options);
      // If `_id` is missing, the driver must generate it.
      if (options !== undefined || document._id === undefined) return alone();
      return write({ name: "insertOne", namespace, document }, alone);
    },
    updateOne: (
      filter: Filter<Document>,
      update: UpdateFilter<Document> | Document[],
      options: UpdateOptions = {},
    ) => {
      const alone = () => plain.updateOne(filter, update, options);
      if (!isGrouped(options, ["upsert", "arrayFilters"])) return alone();
      const { upsert, arrayFilters } = options;
      const how = { ...(upsert && { upsert }), ...(arrayFilters && { arrayFilters }) };
      return write({ name: "updateOne", namespace, filter, update, ...how }, alone);
    },
    replaceOne: (
      filter: Filter<Document>,
      replacement: WithoutId<Document>,
      options: ReplaceOptions = {},
    ) => {
      const alone = () => plain.replaceOne(filter, replacement, options);
      if (!isGrouped(options, ["upsert"])) return alone();
      const how = options.upsert === true ? { upsert: true } : {};
      return write({ name: "replaceOne", namespace, filter, replacement, ...how }, alone);
    },
    deleteOne: (filter: Filter<Document> = {}, options?: DeleteOptions) => {
      const alone = () => plain.deleteOne(filter, options);
      if (options !== undefined) return alone();
      return write({ name: "deleteOne", namespace, filter }, alone);
    },
    findOne: async (filter: Filter<Document> = {}, options?: FindOptions) => {
      const alone = () => plain.findOne(filter, options);
      if (options !== undefined || !isById(filter)) return alone();
      const found = await read(filter._id);
      if (found === null) return null;
      const differing = Object.keys(filter).filter((field) => found[field] !== filter[field]);
      // A plain value in a filter also matches one element of an array, which can't be compared
      // here.
      if (differing.some((field) => Array.isArray(found[field]))) return alone();
      return differing.length === 0 ? found : null;
    },
  } satisfies Partial<Record<keyof Collection, unknown>>;
  const grouped: Collection = Object.assign(Object.create(plain), methods);
  timedReads.set(grouped, createGroupedReads(findRawWithTimeIn(plain), observe));
  return grouped;
}

function isGrouped(options: object, known: readonly string[]): boolean {
  return Object.keys(options).every((name) => known.includes(name));
}

/**
 * Returns true if a filter names one document by `_id` and compares its other fields only with
 * plain values.
 */
function isById(filter: Write): filter is Record<string, string | boolean> & { _id: string } {
  return (
    typeof filter._id === "string" &&
    Object.entries(filter).every(
      ([field, value]) =>
        !field.startsWith("$") &&
        !field.includes(".") &&
        (typeof value === "string" || typeof value === "boolean"),
    )
  );
}
