import { callContext } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind, upsertOnce } from "@disburse/chassis/mongo/once.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Decimal, formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Collection, Filter } from "mongodb";
import type { Corridor, CorridorTerms, Rate } from "./rules/corridor.ts";
import type { PairCursor } from "./rules/page.ts";

/** What each stored document that changes has of its last change. */
type Changed = { schema_version: number; actor: StoredActor; created_at: Date; updated_at: Date };

/** The terms of a corridor, the share as decimal text. */
type TermsText = Omit<CorridorTerms, "fee"> & {
  readonly fee: { readonly share: string; readonly flatMinor: bigint };
};

type CorridorDocument = Stored<TermsText> &
  Changed & {
    _id: string;
    operations: string[];
  };

/** The state of one corridor for one merchant. */
type OpeningDocument = Changed & {
  _id: string;
  merchant_id: string;
  corridor_id: string;
  open: boolean;
  operations: string[];
};

/** `rates`: one of a corridor, as it was set. */
export type RateDocument = ReturnType<typeof rateDocument>;

/** Corridors, the merchants they are open to, and every rate that was ever in force. */
export type CorridorStore = {
  readonly corridors: Collection<CorridorDocument>;
  /** In the collection of corridors, so that an execute reads a corridor and its opening in one query. */
  readonly openings: Collection<OpeningDocument>;
  readonly rates: Collection<RateDocument>;
};

/** The collections of corridors. */
export function openCorridors({ db }: Database): CorridorStore {
  return {
    corridors: db.collection("corridors"),
    openings: db.collection("corridors"),
    rates: db.collection("rates"),
  };
}

/** Selects corridors without openings, by the condition of the partial index of pairs. */
const isCorridor = { source: { $exists: true } } as const;

/** The corridor of an id, or of a pair of currencies. */
export async function findCorridor(
  { corridors }: CorridorStore,
  filter: { readonly _id: string } | { readonly source: string; readonly destination: string },
): Promise<Corridor | undefined> {
  const found = await corridors.findOne(filter);
  // An operator may name an opening by its id.
  return found !== null && Object.hasOwn(found, "source") ? toCorridor(found) : undefined;
}

/** The active corridors and the times of their rates in force, by pair; at most `limit`. */
export async function activeCorridors({ corridors, rates }: CorridorStore, limit: number) {
  const latest = [{ $sort: { as_of: -1 } }, { $limit: 1 }, { $project: asOf }];
  const key = { localField: "_id", foreignField: "corridor_id" };
  const steps = [
    { $match: { ...isCorridor, active: true } },
    { $sort: { source: 1, destination: 1 } },
    { $limit: limit },
    { $lookup: { from: rates.collectionName, ...key, pipeline: latest, as: "latest" } },
  ];
  type Found = CorridorDocument & { latest: readonly Pick<RateDocument, "as_of">[] };
  const found = await corridors.aggregate<Found>(steps).toArray();
  return found.map((each) => ({ corridor: toCorridor(each), rateAsOf: each.latest[0]?.as_of }));
}

const asOf = { as_of: 1 } as const;

const openingId = (merchantId: string, corridorId: string) => `${merchantId}:${corridorId}`;

/** Whether a corridor is open to a merchant. */
export async function isOpenTo(
  { openings }: CorridorStore,
  merchantId: string,
  corridorId: string,
): Promise<boolean> {
  const found = await openings.findOne({ _id: openingId(merchantId, corridorId) });
  return found?.open === true;
}

/** A page of all corridors, or those open to a merchant, by pair; and how many there are. */
export async function listCorridors(
  { corridors, openings }: CorridorStore,
  merchantId: string,
  { after, limit }: { readonly after: PairCursor | undefined; readonly limit: number },
): Promise<{ readonly found: readonly Corridor[]; readonly count: number }> {
  const listed: Filter<CorridorDocument> = { ...isCorridor };
  if (merchantId !== "") {
    const open = await openings.find({ merchant_id: merchantId, open: true }).toArray();
    listed._id = { $in: open.map(({ corridor_id }) => corridor_id) };
  }
  const page = corridors
    .find(after === undefined ? listed : { $and: [listed, beyond(after)] })
    .sort({ source: 1, destination: 1 })
    .limit(limit);
  const [found, count] = await Promise.all([page.toArray(), corridors.countDocuments(listed)]);
  return { found: found.map(toCorridor), count };
}

function beyond({ source, destination }: PairCursor): Filter<CorridorDocument> {
  return { $or: [{ source: { $gt: source } }, { source, destination: { $gt: destination } }] };
}

/** One corridor per pair of currencies; a repeat of an operation changes nothing. */
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
  if (stored === null) throw new Error("a corridor that was just written is not there");
  return toCorridor(stored);
}

/** Opens a corridor to a merchant, or closes it; a repeat of an operation changes nothing. */
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

/** The rate in force: the one with the latest time, whenever it arrived. */
export async function latestRate({ rates }: CorridorStore, corridorId: string) {
  const sort = { as_of: -1, received_at: -1 } as const;
  const found = await rates.findOne({ corridor_id: corridorId }, { sort });
  return found === null ? undefined : toRate(found);
}

/** A day that rolls. */
const compareWithinMs = 24 * 60 * 60 * 1_000;

/**
 * What a new rate is compared with, so that small steps do not add up: the rate in force, and the
 * one that was in force a day ago, or came after it with a second person's approval.
 */
export async function ratesToCompare(
  { rates }: CorridorStore,
  corridorId: string,
  now: Date,
): Promise<Decimal[]> {
  const dayAgo = new Date(now.getTime() - compareWithinMs);
  const sort = { as_of: -1, received_at: -1 } as const;
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

/** Appends a rate and answers with it; a repeat answers with the first one. */
export async function addRate(
  { rates }: CorridorStore,
  added: { readonly corridorId: string; readonly rate: Rate },
  change: Change,
  now: Date,
): Promise<Rate> {
  const document = rateDocument(added, change, now, callContext()?.approvedBy);
  return toRate(await insertOrFind(rates, document, { operation_id: change.operationId }));
}

/** The id of the rate that an operation added. */
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
 * The parts of an upsert that make a repeated operation change nothing. None is forgotten: one person
 * could repeat later what two have confirmed. Operators change a corridor a few times a year.
 */
function onceFor({ operationId, actor }: Change, now: Date) {
  return {
    filter: { operations: { $ne: operationId } },
    set: { actor, updated_at: now },
    push: { operations: operationId },
    setOnInsert: { schema_version: 1, created_at: now },
  };
}

/** Reads a decimal that this service has stored. */
export function storedDecimal(text: string): Decimal {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error("not a stored decimal");
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

/** The rate of a document. */
export function toRate(document: RateDocument): Rate {
  return { rate: storedDecimal(document.rate), asOf: document.as_of, source: document.source };
}
