import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type CorridorDocument,
  corridorTerms,
  type MerchantCorridorDocument,
  type QuoteDocument,
  quoteDocument,
  type RateDocument,
  toCorridor,
  toQuote,
  toRate,
} from "./documents.ts";
import type { Corridor, CorridorTerms, Rate } from "./domain/corridor.ts";
import type { Claim, Quote } from "./domain/quote.ts";

/** Which change a document last saw, for the audit trail and for repeats. */
export type Change = { readonly operationId: string; readonly actor: StoredActor };

/** Repeats come within minutes; so many changes of one corridor do not. */
const operationsKept = 20;
const schemaVersion = 1;

export type QuoteStore = Awaited<ReturnType<typeof openStore>>;

/** The quote service's collections. */
export async function openStore({ db }: Database) {
  const corridors = db.collection<CorridorDocument>("corridors");
  const merchantCorridors = db.collection<MerchantCorridorDocument>("merchant_corridors");
  const rates = db.collection<RateDocument>("rates");
  const quotes = db.collection<QuoteDocument>("quotes");
  await ensureIndexes(db, "corridors", [
    { key: { source: 1, destination: 1 }, name: "pair", unique: true },
  ]);
  await ensureIndexes(db, "merchant_corridors", [{ key: { merchant_id: 1 }, name: "merchant" }]);
  await ensureIndexes(db, "rates", [
    { key: { corridor_id: 1, as_of: -1, received_at: -1 }, name: "latest" },
    { key: { operation_id: 1 }, name: "operation", unique: true },
  ]);
  await ensureIndexes(db, "quotes", [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
  ]);

  const latestRate = async (corridorId: string): Promise<Rate | undefined> => {
    const sort = { as_of: -1, received_at: -1 } as const;
    const found = await rates.findOne({ corridor_id: corridorId }, { sort });
    return found === null ? undefined : toRate(found);
  };

  return {
    findCorridor: async (source: string, destination: string): Promise<Corridor | undefined> => {
      const found = await corridors.findOne({ source, destination });
      return found === null ? undefined : toCorridor(found);
    },
    readCorridor: async (id: string): Promise<Corridor | undefined> => {
      const found = await corridors.findOne({ _id: id });
      return found === null ? undefined : toCorridor(found);
    },
    listCorridors: async (merchantId: string): Promise<Corridor[]> => {
      if (merchantId === "") {
        return (await corridors.find().sort({ _id: 1 }).toArray()).map(toCorridor);
      }
      const open = await merchantCorridors.find({ merchant_id: merchantId, open: true }).toArray();
      const ids = open.map(({ corridor_id }) => corridor_id);
      return (
        await corridors
          .find({ _id: { $in: ids } })
          .sort({ _id: 1 })
          .toArray()
      ).map(toCorridor);
    },
    /** One corridor per pair of currencies; a repeat of an operation changes nothing. */
    setCorridor: async (terms: CorridorTerms, change: Change, now: Date): Promise<Corridor> => {
      const { source, destination } = terms;
      const { operationId, actor } = change;
      try {
        await corridors.updateOne(
          { source, destination, operations: { $ne: operationId } },
          {
            $set: { ...corridorTerms(terms), actor, updated_at: now },
            $push: { operations: { $each: [operationId], $slice: -operationsKept } },
            $setOnInsert: {
              _id: newId("corridor", now),
              schema_version: schemaVersion,
              created_at: now,
            },
          },
          { upsert: true },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const stored = await corridors.findOne({ source, destination });
      if (stored === null) throw new Error("a corridor that was just written is not there");
      return toCorridor(stored);
    },
    setMerchantCorridor: async (
      merchantId: string,
      corridorId: string,
      open: boolean,
      { operationId, actor }: Change,
      now: Date,
    ): Promise<void> => {
      const _id = `${merchantId}:${corridorId}`;
      try {
        await merchantCorridors.updateOne(
          { _id, operations: { $ne: operationId } },
          {
            $set: { open, actor, updated_at: now },
            $push: { operations: { $each: [operationId], $slice: -operationsKept } },
            $setOnInsert: {
              merchant_id: merchantId,
              corridor_id: corridorId,
              schema_version: schemaVersion,
              created_at: now,
            },
          },
          { upsert: true },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    isOpenTo: async (merchantId: string, corridorId: string): Promise<boolean> => {
      const found = await merchantCorridors.findOne({ _id: `${merchantId}:${corridorId}` });
      return found?.open === true;
    },
    latestRate,
    /** Appends a rate and answers with it; a repeat answers with the first one. */
    addRate: async (
      corridorId: string,
      rate: Rate,
      { operationId, actor }: Change,
      now: Date,
    ): Promise<Rate> => {
      try {
        await rates.insertOne({
          _id: newId("event", now),
          schema_version: schemaVersion,
          corridor_id: corridorId,
          rate: formatDecimal(rate.rate),
          as_of: rate.asOf,
          source: rate.source,
          received_at: now,
          operation_id: operationId,
          actor,
        });
        return rate;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const first = await rates.findOne({ operation_id: operationId });
        if (first === null) throw error;
        return toRate(first);
      }
    },
    findByOperation: async (merchantId: string, operationId: string) => {
      const found = await quotes.findOne({ merchant_id: merchantId, operation_id: operationId });
      return found === null ? undefined : toQuote(found);
    },
    /** Stores a quote; answers with the first one of its operation when somebody was faster. */
    insertQuote: async (quote: Quote, { operationId, actor }: Change): Promise<Quote> => {
      try {
        await quotes.insertOne({ ...quoteDocument(quote), operation_id: operationId, actor });
        return quote;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const merchant = { merchant_id: quote.merchantId, operation_id: operationId };
        const first = await quotes.findOne(merchant);
        if (first === null) throw error;
        return toQuote(first);
      }
    },
    readQuote: async (merchantId: string, id: string): Promise<Quote | undefined> => {
      const found = await quotes.findOne({ _id: id, merchant_id: merchantId });
      return found === null ? undefined : toQuote(found);
    },
    /** Whose ever quote, with the database's clock, against which its expiry counts. */
    readAnyQuote: async (id: string): Promise<{ quote: Quote; now: Date } | undefined> => {
      const [found] = await quotes
        .aggregate<QuoteDocument & { now: Date }>([
          { $match: { _id: id } },
          { $set: { now: "$$NOW" } },
        ])
        .toArray();
      return found === undefined ? undefined : { quote: toQuote(found), now: found.now };
    },
    /**
     * The commit point: an open quote becomes claimed, or, past its expiry by the database's clock,
     * expired for good, in one write. Answers with the quote as it then is.
     */
    claim: async (id: string, claim: Omit<Claim, "claimedAt">): Promise<Quote | undefined> => {
      const inTime = { $lt: ["$$NOW", "$expires_at"] };
      const taken = {
        payout_id: { $literal: claim.payoutId },
        reference_id: { $literal: claim.referenceId },
        operation_id: { $literal: claim.operationId },
        claimed_at: "$$NOW",
      };
      const updated = await quotes.findOneAndUpdate(
        { _id: id, state: "open" },
        [
          {
            $set: {
              state: { $cond: [inTime, "claimed", "expired"] },
              claim: { $cond: [inTime, taken, "$$REMOVE"] },
              updated_at: "$$NOW",
            },
          },
        ],
        { returnDocument: "after" },
      );
      const found = updated ?? (await quotes.findOne({ _id: id }));
      return found === null ? undefined : toQuote(found);
    },
  };
}
