import { setTimeout as pause } from "node:timers/promises";
import type { AnyBulkWriteOperation, Db, Document } from "mongodb";
import type { Log } from "../log.ts";
import { type Loop, startLoop } from "../loop.ts";
import type { Metrics } from "../metrics.ts";
import type { Database } from "../mongo/database.ts";
import { createSweepLease } from "../mongo/sweep-lease.ts";
import type { DataKeys } from "./data-keys.ts";
import type { Sealer } from "./sealing.ts";

/** A change to one document. It applies only if the fields that were read are unchanged. */
export type Resealed = {
  readonly where: Document;
  readonly set: Document;
};

/** A collection with encrypted texts. Its documents have text ids. */
export type SealedPlace = {
  readonly collection: string;
  /**
   * The id of its scan, the collection's name by default. With another one, a release that changes
   * more than the encryption scans by itself, beside processes of the release before.
   */
  readonly scan?: string;
  /** Encrypts a document by the current rules. Returns `undefined` if nothing has to change. */
  readonly reseal: (document: Document, sealer: Sealer) => Resealed | undefined;
};

/** An encrypted text in a document, with its dotted path and its encryption context. */
export type SealedText = {
  readonly path: string;
  readonly text: string;
  readonly context: string;
};

/** Encrypts outdated texts again. */
export function resealTexts(texts: readonly SealedText[], sealer: Sealer): Resealed | undefined {
  const stale = texts.filter(({ text }) => !sealer.isCurrent(text));
  if (stale.length === 0) return undefined;
  const again = ({ text, context }: SealedText) => sealer.seal(sealer.open(text, context), context);
  return {
    where: Object.fromEntries(stale.map(({ path, text }) => [path, text])),
    set: Object.fromEntries(stale.map((each) => [each.path, again(each)])),
  };
}

/** The progress of a scan over a collection. After a restart the scan continues from here. */
type ScanDocument = {
  _id: string;
  schema_version: number;
  /** Identifies the current encryption key. A new key starts a new scan. */
  generation: string;
  after: string;
  passed: number;
  /** The number of documents that were changed during the scan or could not be decrypted. */
  left: number;
  ended_at: Date | null;
};

/** The number of documents in one page, which takes about ten milliseconds. */
const pageSize = 100;
/** The time after which a scan that skipped documents starts again. */
const againMs = 600_000;

export type ResealingDeps = {
  readonly db: Db;
  readonly keys: Pick<DataKeys, "sealer" | "generation">;
  readonly places: readonly SealedPlace[];
  readonly log: Log;
};

/**
 * Scans collections page by page and encrypts outdated texts again, so that a key rotation reaches
 * every text. Other work may run concurrently. The process can be killed at any time.
 */
export function createResealing({ db, keys, places, log }: ResealingDeps) {
  const scans = db.collection<ScanDocument>("resealing");
  const scanOf = async (_id: string): Promise<ScanDocument> => {
    const generation = keys.generation();
    const found = await scans.findOne({ _id, generation });
    const isOver =
      found?.ended_at && found.left > 0 && Date.now() - found.ended_at.getTime() >= againMs;
    if (found !== null && !isOver) return found;
    return { _id, schema_version: 1, generation, after: "", passed: 0, left: 0, ended_at: null };
  };
  /** Encrypts the outdated texts of one page again. Returns true if there may be more. */
  const page = async (place: SealedPlace): Promise<boolean> => {
    const scan = await scanOf(place.scan ?? place.collection);
    if (scan.ended_at !== null) return false;
    const documents = await db
      .collection<{ _id: string }>(place.collection)
      .find({ _id: { $gt: scan.after } })
      .sort({ _id: 1 })
      .limit(pageSize)
      .toArray();
    const left = await resealPage(db, keys.sealer, place, documents, log);
    const isEnd = documents.length < pageSize;
    const { _id, ...next } = {
      ...scan,
      after: documents.at(-1)?._id ?? scan.after,
      passed: scan.passed + documents.length,
      left: scan.left + left,
      ended_at: isEnd ? new Date() : null,
    };
    await scans.updateOne({ _id }, { $set: next }, { upsert: true });
    return !isEnd;
  };
  return {
    /**
     * Encrypts the outdated texts of one page of each collection again. Returns true if there may
     * be more.
     */
    pages: async (): Promise<boolean> => {
      let isMore = false;
      for (const place of places) isMore = (await page(place)) || isMore;
      return isMore;
    },
    /** Counts documents that may have outdated texts, by collection. */
    left: async (): Promise<ReadonlyMap<string, number>> => {
      const counts = places.map(async ({ collection, scan = collection }) => {
        const { passed, left, ended_at } = await scanOf(scan);
        if (ended_at !== null) return [collection, left] as const;
        const all = await db.collection(collection).estimatedDocumentCount();
        // The count is an estimate, so an unfinished scan always shows at least 1.
        return [collection, Math.max(all - passed, 1) + left] as const;
      });
      return new Map(await Promise.all(counts));
    },
  };
}

/**
 * Encrypts the outdated texts of a page again. Returns the number of documents that were changed
 * meanwhile or could not be decrypted.
 */
async function resealPage(
  db: Db,
  sealer: Sealer,
  { collection, reseal }: SealedPlace,
  documents: readonly Document[],
  log: Log,
): Promise<number> {
  let left = 0;
  const writes: AnyBulkWriteOperation[] = [];
  for (const document of documents) {
    try {
      const change = reseal(document, sealer);
      if (change !== undefined) writes.push(writeOf(document, change));
    } catch (error) {
      left += 1;
      log.error(
        { err: error, collection, id: document._id },
        "re-encrypting a document under the current data key failed",
      );
    }
  }
  if (writes.length === 0) return left;
  const { matchedCount } = await db.collection(collection).bulkWrite(writes, { ordered: false });
  return left + writes.length - matchedCount;
}

function writeOf({ _id }: Document, { where, set }: Resealed): AnyBulkWriteOperation {
  return { updateOne: { filter: { ...where, _id }, update: { $set: set } } };
}

const everyMs = 60_000;
const leaseMs = 60_000;
/**
 * The pause between two pages, which gives requests priority. A million documents take about twenty
 * minutes.
 */
const pauseMs = 100;

/**
 * Encrypts outdated texts again in the process that has the lease, until every collection is
 * scanned.
 */
export function startResealing(
  deps: Omit<ResealingDeps, "db"> & { readonly database: Database; readonly metrics: Metrics },
): Pick<Loop, "stop"> {
  const { database, metrics, log } = deps;
  const { pages, left } = createResealing({ ...deps, db: database.db });
  const lease = createSweepLease(database, "resealing", leaseMs);
  const gauge = metrics.gauge(
    "disburse_resealing_left",
    "Documents that may have texts in plain, or encrypted under an older data key.",
    ["collection"],
  );
  const run = async () => {
    const counts = await left();
    for (const [collection, count] of counts) gauge.set({ collection }, count);
    const isDone = [...counts.values()].every((count) => count === 0);
    if (isDone || (await lease.hold()) === undefined) return false;
    if (!(await pages())) return false;
    await pause(pauseMs);
    return true;
  };
  const loop = startLoop({ name: "resealing", everyMs, run, log });
  return {
    stop: async () => {
      await loop.stop();
      await lease.release();
    },
  };
}
