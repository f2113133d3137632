import { callContext } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind, upsertOnce } from "@disburse/chassis/mongo/once.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Decimal, formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Collection, Document, Filter } from "mongodb";
import type { Corridor, CorridorTerms, Rate } from "./rules/corridor.ts";
import type { PairCursor } from "./rules/page.ts";

type Changed = { schema_version: number; actor: StoredActor; created_at: Date; updated_at: Date };

/** Corridor terms with the fee share as decimal text. */
type TermsText = Omit<CorridorTerms, "fee"> & {
  readonly fee: { readonly share: string; readonly flatMinor: bigint };
};

type CorridorDocument = Stored<TermsText> &
  Changed & {
    _id: string;
    operations: string[];
  };

/** One merchant's access to a corridor. */
type OpeningDocument = Changed & {
  _id: string;
  merchant_id: string;
  corridor_id: string;
  open: boolean;
  operations: string[];
};

export type RateDocument = ReturnType<typeof rateDocument>;

/** Corridors, their openings to merchants, and all rates ever in force. */
export type CorridorStore = {
  readonly corridors: Collection<CorridorDocument>;
  /**
   * A merchant's access to a corridor. It is in the collection of corridors, so that execute reads
   * both in one query.
   */
  readonly openings: Collection<OpeningDocument>;
  readonly rates: Collection<RateDocument>;
};

export function openCorridors({ db }: Database): CorridorStore {
  return {
    corridors: db.collection("corridors"),
    openings: db.collection("corridors"),
    rates: db.collection("rates"),
  };
}

/** Excludes openings; matches the condition of the partial index on pairs. */
const isCorridor = { source: { $exists: true } } as const;

export async function findCorridor(
  { corridors }: CorridorStore,
  filter: { readonly _id: string } | { readonly source: string; readonly destination: string },
): Promise<Corridor | undefined> {
  const found = await corridors.findOne(filter);
  // The requested id may belong to a record that opens a corridor to a merchant. It has no currency
  // pair.
  return found !== null && Object.hasOwn(found, "source") ? toCorridor(found) : undefined;
}

/** Returns active corridors, sorted by pair, with the times of their rates in force. */
export async function activeCorridors({ corridors, rates }: CorridorStore, limit: number) {
  const steps = [
    { $match: { ...isCorridor, active: true } },
    { $sort: { source: 1, destination: 1 } },
    { $limit: limit },
    withLatestRate(rates, [{ $project: asOf }]),
  ];
  type Found = CorridorDocument & { latest: readonly Pick<RateDocument, "as_of">[] };
  const found = await corridors.aggregate<Found>(steps).toArray();
  return found.map((each) => ({ corridor: toCorridor(each), rateAsOf: each.latest[0]?.as_of }));
}

const asOf = { as_of: 1 } as const;
const latestFirst = { as_of: -1, received_at: -1 } as const;

/** Adds the rate in force to each corridor, as `latest`. */
function withLatestRate({ collectionName: from }: Collection<RateDocument>, more: Document[] = []) {
  const pipeline = [{ $sort: latestFirst }, { $limit: 1 }, ...more];
  return {
    $lookup: { from, localField: "_id", foreignField: "corridor_id", pipeline, as: "latest" },
  };
}

const openingId = (merchantId: string, corridorId: string) => `${merchantId}:${corridorId}`;

export async function isOpenTo(
  { openings }: CorridorStore,
  merchantId: string,
  corridorId: string,
): Promise<boolean> {
  const found = await openings.findOne({ _id: openingId(merchantId, corridorId) });
  return found?.open === true;
}

type ListedCorridor = Corridor & { readonly rate: Rate | undefined };

/**
 * Returns a page of all corridors, or of those open to a merchant, sorted by pair, each with its
 * rate in force, and the total.
 */
export async function listCorridors(
  { corridors, openings, rates }: CorridorStore,
  merchantId: string,
  { after, limit }: { readonly after: PairCursor | undefined; readonly limit: number },
): Promise<{ readonly found: readonly ListedCorridor[]; readonly count: number }> {
  const listed: Filter<CorridorDocument> = { ...isCorridor };
  if (merchantId !== "") {
    const open = await openings.find({ merchant_id: merchantId, open: true }).toArray();
    listed._id = { $in: open.map(({ corridor_id }) => corridor_id) };
  }
  type Found = CorridorDocument & { latest: readonly RateDocument[] };
  const page = corridors.aggregate<Found>([
    { $match: after === undefined ? listed : { $and: [listed, beyond(after)] } },
    { $sort: { source: 1, destination: 1 } },
    { $limit: limit },
    withLatestRate(rates),
  ]);
  const [found, count] = await Promise.all([page.toArray(), corridors.countDocuments(listed)]);
  const withRates = found.map(({ latest: [latest], ...corridor }) => ({
    ...toCorridor(corridor),
    rate: latest === undefined ? undefined : toRate(latest),
  }));
  return { found: withRates, count };
}

function beyond({ source, destination }: PairCursor): Filter<CorridorDocument> {
  return { $or: [{ source: { $gt: source } }, { source, destination: { $gt: destination } }] };
}

/** Each currency pair has one corridor. Repeating an operation changes nothing. */
export async function setCorridor(
  { corridors }: CorridorStore,
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
  if (stored === null) throw new Error("a corridor is missing right after it was written");
  return toCorridor(stored);
}

/** Repeating an operation changes nothing. */
export async function setMerchantCorridor(
  { openings }: CorridorStore,
  { merchantId, corridorId, open }: { merchantId: string; corridorId: string; open: boolean },
  change: Change,
  now: Date,
): Promise<void> {
  const once = onceFor(change, now);
  const pair = { merchant_id: merchantId, corridor_id: corridorId };
  await upsertOnce((upsert) =>
    openings.updateOne(
      { _id: openingId(merchantId, corridorId), ...once.filter },
      {
        $set: { open, ...once.set },
        $push: once.push,
        $setOnInsert: { ...pair, ...once.setOnInsert },
      },
      { upsert },
    ),
  );
}

/** Returns the rate with the latest `as_of`, regardless of arrival order. */
export async function latestRate({ rates }: CorridorStore, corridorId: string) {
  const found = await rates.findOne({ corridor_id: corridorId }, { sort: latestFirst });
  return found === null ? undefined : toRate(found);
}

const compareWithinMs = 24 * 60 * 60 * 1_000;

/**
 * Returns the rates to compare a new rate with. The first is the rate in force. The second prevents
 * many small steps from adding up. It is the latest rate that is a day old or that a second
 * operator approved, or else the corridor's first rate.
 */
export async function ratesToCompare(
  { rates }: CorridorStore,
  corridorId: string,
  now: Date,
): Promise<Decimal[]> {
  const dayAgo = new Date(now.getTime() - compareWithinMs);
  const sort = latestFirst;
  const inForce = await rates.findOne({ corridor_id: corridorId }, { sort });
  const filter = {
    corridor_id: corridorId,
    $or: [{ received_at: { $lte: dayAgo } }, { approved_by: { $exists: true } }],
  };
  const base =
    (await rates.findOne(filter, { sort })) ??
    (await rates.findOne({ corridor_id: corridorId }, { sort: { as_of: 1, received_at: 1 } }));
  return [inForce, base].flatMap((found) => (found === null ? [] : [toRate(found).rate]));
}

/** Returns true if the operation has added its rate. */
export async function isRateAdded({ rates }: CorridorStore, operationId: string) {
  const found = await rates.findOne({ operation_id: operationId }, { projection: { _id: 1 } });
  return found !== null;
}

/** Appends a rate. A repeated operation returns the rate it added first. */
export async function addRate(
  { rates }: CorridorStore,
  added: { readonly corridorId: string; readonly rate: Rate },
  change: Change,
  now: Date,
): Promise<Rate> {
  const document = rateDocument(added, change, now, callContext()?.approvedBy);
  return toRate(await insertOrFind(rates, document, { operation_id: change.operationId }));
}

export const rateId = (corridorId: string, operationId: string) => `${corridorId}:${operationId}`;

function rateDocument(
  { corridorId, rate }: { readonly corridorId: string; readonly rate: Rate },
  { operationId, actor }: Change,
  now: Date,
  approvedBy: string | undefined,
) {
  return {
    _id: rateId(corridorId, operationId),
    schema_version: 1,
    corridor_id: corridorId,
    rate: formatDecimal(rate.rate),
    as_of: rate.asOf,
    source: rate.source,
    received_at: now,
    operation_id: operationId,
    actor,
    ...(approvedBy === undefined ? {} : { approved_by: approvedBy }),
  };
}

/**
 * Returns the parts of an upsert that make a repeated operation a no-op. All operation ids are
 * kept. Otherwise one operator could repeat an old change that now requires two. A corridor changes
 * only a few times a year, so the list stays short.
 */
function onceFor({ operationId, actor }: Change, now: Date) {
  return {
    filter: { operations: { $ne: operationId } },
    set: { actor, updated_at: now },
    push: { operations: operationId },
    setOnInsert: { schema_version: 1, created_at: now },
  };
}

export function storedDecimal(text: string): Decimal {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error("a stored rate or amount is not a decimal");
  return read;
}

function corridorTerms({ fee, ...terms }: CorridorTerms): Stored<TermsText> {
  return toStored<TermsText>({ ...terms, fee: { ...fee, share: formatDecimal(fee.share) } });
}

function toCorridor(document: CorridorDocument): Corridor {
  const {
    _id: id,
    schema_version,
    operations,
    actor,
    created_at,
    updated_at,
    ...stored
  } = document;
  const { fee, ...terms } = fromStored<TermsText>(stored);
  return { id, ...terms, fee: { ...fee, share: storedDecimal(fee.share) } };
}

export function toRate(document: RateDocument): Rate {
  return { rate: storedDecimal(document.rate), asOf: document.as_of, source: document.source };
}
