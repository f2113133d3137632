import { BSON, type Collection, type Document, MongoNotConnectedError } from "mongodb";
import { createGatherer, type Gathered, type GathererLimits } from "./gatherer.ts";
import type { ObserveBatch } from "./observe.ts";

type Read = Gathered & {
  readonly id: string;
  readonly askedAt: number;
  readonly resolve: (found: Document | null) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * No byte limit is needed, although a document may have 16 MB, because the engine limits the size
 * of its reply.
 */
const limits: GathererLimits = {
  batchMax: 256,
  batchBytesMax: Number.POSITIVE_INFINITY,
  inFlightMax: 2,
  furtherMax: 8,
  waitingMax: 10_000,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

export type ReadById = (id: string) => Promise<Document | null>;

/** Finds documents by `_id` and returns them as bytes. */
export type FindRaw = (ids: readonly string[]) => Promise<readonly Uint8Array[]>;

/**
 * Groups a collection's reads by `_id`. Reads of the same turn of the event loop share one `$in`
 * query. A read never joins a batch that was already sent. Each caller gets its own copy.
 */
export function createGroupedReads(findRaw: FindRaw, observe: ObserveBatch): ReadById {
  const send = async (batch: readonly Read[]) => {
    const startedAt = performance.now();
    try {
      const found = new Map<string, Uint8Array>();
      const parsed = new Map<string, Document>();
      for (const bytes of await findRaw([...new Set(batch.map(({ id }) => id))])) {
        const document = BSON.deserialize(bytes);
        found.set(document._id, bytes);
        parsed.set(document._id, document);
      }
      for (const { id, resolve } of batch) {
        const bytes = found.get(id);
        const first = parsed.get(id);
        parsed.delete(id);
        resolve(first ?? (bytes === undefined ? null : BSON.deserialize(bytes)));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    const waitedMs = startedAt - (batch[0]?.askedAt ?? startedAt);
    observe("read", { size: batch.length, waitedMs, tookMs: performance.now() - startedAt });
  };
  const gatherer = createGatherer(send, limits);
  return (id) =>
    new Promise((resolve, reject) => {
      const askedAt = performance.now();
      const isAdded = gatherer.add({ key: undefined, bytes: 0, id, askedAt, resolve, reject });
      if (!isAdded) reject(new MongoNotConnectedError("too many reads wait for the database"));
    });
}

export function findRawIn(collection: Collection): FindRaw {
  return (ids) => {
    const _id = ids.length === 1 ? ids[0] : { $in: ids };
    return collection.find({ _id } as Document, { raw: true }).toArray() as never;
  };
}

/** Adds the database's time to each document as `now`. */
export function findRawWithTimeIn(collection: Collection): FindRaw {
  return (ids) => {
    const pipeline = [{ $match: { _id: { $in: ids } } }, { $set: { now: "$$NOW" } }];
    return collection.aggregate(pipeline, { raw: true }).toArray() as never;
  };
}
