import { type Database, ensureIndexes } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import { type Change, unlessMade } from "./change.ts";
import { type QuoteDocument, quoteDocument, toQuote } from "./documents.ts";
import type { Claim, Quote } from "./domain/quote.ts";

export type QuoteStore = Awaited<ReturnType<typeof openQuoteStore>>;

/** Quotes; a claimed one holds its claim. */
export async function openQuoteStore({ db }: Database) {
  const quotes = db.collection<QuoteDocument>("quotes");
  await ensureIndexes(db, "quotes", [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
  ]);
  const findByOperation = async (merchantId: string, operationId: string) => {
    const found = await quotes.findOne({ merchant_id: merchantId, operation_id: operationId });
    return found === null ? undefined : toQuote(found);
  };
  return {
    findByOperation,
    /** Stores a quote; answers with the first one of its operation when somebody was faster. */
    insert: async (quote: Quote, { operationId, actor }: Change): Promise<Quote> => {
      const document = { ...quoteDocument(quote), operation_id: operationId, actor };
      if ((await unlessMade(() => quotes.insertOne(document))) === "made") return quote;
      const first = await findByOperation(quote.merchantId, operationId);
      if (first === undefined) throw new Error("a quote that was there already is gone");
      return first;
    },
    read: async (merchantId: string, id: string): Promise<Quote | undefined> => {
      const found = await quotes.findOne({ _id: id, merchant_id: merchantId });
      return found === null ? undefined : toQuote(found);
    },
    /** Whose ever quote, with the database's clock, against which its expiry counts. */
    readAny: async (id: string): Promise<{ quote: Quote; now: Date } | undefined> => {
      const [found] = await quotes
        .aggregate<QuoteDocument & { now: Date }>([
          { $match: { _id: id } },
          { $set: { now: "$$NOW" } },
        ])
        .toArray();
      return found === undefined ? undefined : { quote: toQuote(found), now: found.now };
    },
    claim: (id: string, claim: Omit<Claim, "claimedAt">) => claimQuote(quotes, id, claim),
  };
}

/**
 * The commit point: an open quote becomes claimed, or, past its expiry by the database's clock,
 * expired for good, in one write. Answers with the quote as it then is.
 */
async function claimQuote(
  quotes: Collection<QuoteDocument>,
  id: string,
  claim: Omit<Claim, "claimedAt">,
): Promise<Quote | undefined> {
  const inTime = { $lt: ["$$NOW", "$expires_at"] };
  const taken = {
    payout_id: { $literal: claim.payoutId },
    reference_id: { $literal: claim.referenceId },
    operation_id: { $literal: claim.operationId },
    claimed_at: "$$NOW",
  };
  const update = {
    state: { $cond: [inTime, "claimed", "expired"] },
    claim: { $cond: [inTime, taken, "$$REMOVE"] },
    updated_at: "$$NOW",
  };
  const updated = await quotes.findOneAndUpdate({ _id: id, state: "open" }, [{ $set: update }], {
    returnDocument: "after",
  });
  const found = updated ?? (await quotes.findOne({ _id: id }));
  return found === null ? undefined : toQuote(found);
}
