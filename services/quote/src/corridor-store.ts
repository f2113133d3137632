import { type Database, ensureIndexes } from "@disburse/chassis/mongo/database.ts";
import { countMax } from "@disburse/chassis/paging/record-page.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Collection, Filter } from "mongodb";
import { type Change, onceFor, unlessMade, upsertOnce } from "./change.ts";
import type { PairCursor } from "./corridor-page.ts";
import {
  type CorridorDocument,
  corridorTerms,
  type MerchantCorridorDocument,
  type RateDocument,
  toCorridor,
  toRate,
} from "./documents.ts";
import type { Corridor, CorridorTerms, Rate } from "./domain/corridor.ts";

export type CorridorStore = Awaited<ReturnType<typeof openCorridorStore>>;

type Collections = {
  readonly corridors: Collection<CorridorDocument>;
  readonly merchantCorridors: Collection<MerchantCorridorDocument>;
  readonly rates: Collection<RateDocument>;
};

/** Corridors, to whom they are open, and their rates, every one that was ever in force. */
export async function openCorridorStore({ db }: Database) {
  const collections: Collections = {
    corridors: db.collection("corridors"),
    merchantCorridors: db.collection("merchant_corridors"),
    rates: db.collection("rates"),
  };
  await ensureIndexes(db, "corridors", [
    { key: { source: 1, destination: 1 }, name: "pair", unique: true },
  ]);
  await ensureIndexes(db, "merchant_corridors", [{ key: { merchant_id: 1 }, name: "merchant" }]);
  await ensureIndexes(db, "rates", [
    { key: { corridor_id: 1, as_of: -1, received_at: -1 }, name: "latest" },
    { key: { operation_id: 1 }, name: "operation", unique: true },
  ]);
  const { corridors, merchantCorridors } = collections;
  const readOne = async (filter: { _id: string } | { source: string; destination: string }) => {
    const found = await corridors.findOne(filter);
    return found === null ? undefined : toCorridor(found);
  };
  return {
    find: (source: string, destination: string) => readOne({ source, destination }),
    read: (id: string) => readOne({ _id: id }),
    list: (merchantId: string, page: CorridorPage) => listCorridors(collections, merchantId, page),
    set: (terms: CorridorTerms, change: Change, now: Date) =>
      setCorridor(collections, terms, change, now),
    isOpenTo: async (merchantId: string, corridorId: string): Promise<boolean> => {
      const found = await merchantCorridors.findOne({ _id: `${merchantId}:${corridorId}` });
      return found?.open === true;
    },
    openTo: (merchant: MerchantCorridor, change: Change, now: Date) =>
      setMerchantCorridor(collections, merchant, change, now),
    latestRate: (corridorId: string) => latestRate(collections, corridorId),
    addRate: (corridorId: string, rate: Rate, change: Change, now: Date) =>
      addRate(collections, { corridorId, rate }, change, now),
  };
}

/** Where a page starts, and how long it is. */
export type CorridorPage = { readonly after: PairCursor | undefined; readonly limit: number };

/**
 * A page of every corridor, or of those that are open to a merchant, by pair; and how many there
 * are of them, counted up to `countMax` and one. There are no more than pairs of currencies.
 */
async function listCorridors(
  { corridors, merchantCorridors }: Collections,
  merchantId: string,
  { after, limit }: CorridorPage,
): Promise<{ readonly found: readonly Corridor[]; readonly count: number }> {
  const listed: Filter<CorridorDocument> = {};
  if (merchantId !== "") {
    const open = await merchantCorridors.find({ merchant_id: merchantId, open: true }).toArray();
    listed._id = { $in: open.map(({ corridor_id }) => corridor_id) };
  }
  const page = corridors
    .find(after === undefined ? listed : { $and: [listed, beyond(after)] })
    .sort({ source: 1, destination: 1 })
    .limit(limit);
  const [found, count] = await Promise.all([
    page.toArray(),
    corridors.countDocuments(listed, { limit: countMax + 1 }),
  ]);
  return { found: found.map(toCorridor), count };
}

function beyond({ source, destination }: PairCursor): Filter<CorridorDocument> {
  return { $or: [{ source: { $gt: source } }, { source, destination: { $gt: destination } }] };
}

/** One corridor per pair of currencies; a repeat of an operation changes nothing. */
async function setCorridor(
  { corridors }: Collections,
  terms: CorridorTerms,
  change: Change,
  now: Date,
): Promise<Corridor> {
  const { source, destination } = terms;
  const once = onceFor(change, now);
  await upsertOnce((upsert) =>
    corridors.updateOne(
      { source, destination, ...once.filter },
      {
        $set: { ...corridorTerms(terms), ...once.set },
        $push: once.push,
        $setOnInsert: { _id: newId("corridor", now), ...once.setOnInsert },
      },
      { upsert },
    ),
  );
  const stored = await corridors.findOne({ source, destination });
  if (stored === null) throw new Error("a corridor that was just written is not there");
  return toCorridor(stored);
}

/** Whether a corridor is open to a merchant. */
export type MerchantCorridor = {
  readonly merchantId: string;
  readonly corridorId: string;
  readonly open: boolean;
};

async function setMerchantCorridor(
  { merchantCorridors }: Collections,
  { merchantId, corridorId, open }: MerchantCorridor,
  change: Change,
  now: Date,
): Promise<void> {
  const once = onceFor(change, now);
  const pair = { merchant_id: merchantId, corridor_id: corridorId };
  await upsertOnce((upsert) =>
    merchantCorridors.updateOne(
      { _id: `${merchantId}:${corridorId}`, ...once.filter },
      {
        $set: { open, ...once.set },
        $push: once.push,
        $setOnInsert: { ...pair, ...once.setOnInsert },
      },
      { upsert },
    ),
  );
}

/** The rate in force: the one that was true last, whenever it arrived. */
async function latestRate({ rates }: Collections, corridorId: string): Promise<Rate | undefined> {
  const sort = { as_of: -1, received_at: -1 } as const;
  const found = await rates.findOne({ corridor_id: corridorId }, { sort });
  return found === null ? undefined : toRate(found);
}

/** Appends a rate and answers with it; a repeat answers with the first one. */
async function addRate(
  { rates }: Collections,
  { corridorId, rate }: { readonly corridorId: string; readonly rate: Rate },
  { operationId, actor }: Change,
  now: Date,
): Promise<Rate> {
  const made = await unlessMade(() =>
    rates.insertOne({
      _id: `${corridorId}:${operationId}`,
      schema_version: 1,
      corridor_id: corridorId,
      rate: formatDecimal(rate.rate),
      as_of: rate.asOf,
      source: rate.source,
      received_at: now,
      operation_id: operationId,
      actor,
    }),
  );
  if (made === "made") return rate;
  const first = await rates.findOne({ operation_id: operationId });
  if (first === null) throw new Error("a rate that was there already is gone");
  return toRate(first);
}
