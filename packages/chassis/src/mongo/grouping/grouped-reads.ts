import { BSON, type Collection, type Document, MongoNotConnectedError } from "mongodb";
import { createGatherer, type Gathered, type GathererLimits } from "./gatherer.ts";
import type { ObserveBatch } from "./observe.ts";

type Read = Gathered & {
  readonly id: string;
  readonly askedAt: number;
  readonly resolve: (found: Document | null) => void;
  readonly reject: (error: unknown) => void;
};

/** A document of up to 16 MB each: a batch of large ones is bounded by the engine's answer. */
const limits: GathererLimits = {
  batchMax: 256,
  batchBytesMax: Number.POSITIVE_INFINITY,
  inFlightMax: 2,
  waitingMax: 10_000,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

/** Reads a document by its `_id`; `null`: there is none. */
export type ReadById = (id: string) => Promise<Document | null>;

/** Finds documents by their `_id`s, as bytes. */
export type FindRaw = (ids: readonly string[]) => Promise<readonly Uint8Array[]>;

/**
 * Groups the reads by `_id` of one collection: those of a turn of the event loop go out as one
 * `$in`. A read never joins a batch that was sent before it was asked for, and each caller gets a
 * document of its own.
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

/** Finds by the driver. */
export function findRawIn(collection: Collection): FindRaw {
  return (ids) => {
    const _id = ids.length === 1 ? ids[0] : { $in: ids };
    return collection.find({ _id } as Document, { raw: true }).toArray() as never;
  };
}

/** The same, each with the database's time as `now`. */
export function findRawWithTimeIn(collection: Collection): FindRaw {
  return (ids) => {
    const pipeline = [{ $match: { _id: { $in: ids } } }, { $set: { now: "$$NOW" } }];
    return collection.aggregate(pipeline, { raw: true }).toArray() as never;
  };
}
