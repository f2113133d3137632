import { contentHash } from "@disburse/chassis/mongo/content-hash.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import {
  isOther,
  type RequestedChange,
  type StoredContent,
} from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import { Binary, type Collection } from "mongodb";
import { storedDecimal } from "../corridors/store.ts";
import type { Claim, Quote, QuoteState } from "./rules/quote.ts";

/** The immutable fields of a quote, with the rate as decimal text. */
type QuotedText = Omit<Quote, "id" | "rate" | "state" | "claim"> & { readonly rate: string };

type QuoteDocument = Stored<QuotedText> &
  StoredContent & {
    _id: string;
    schema_version: number;
    state: Quote["state"];
    operation_id: string;
    actor: StoredActor;
    claim?: StoredClaim | undefined;
    content_hash: string;
  };

/** Immutable fields. The expiry is excluded, because a sandbox merchant may end a quote. */
const hashedFields = [
  "_id",
  "merchant_id",
  "account_id",
  "corridor_id",
  "source",
  "destination",
  "amounts",
  "rate",
  "rate_as_of",
  "rate_source",
  "return_charges",
  "beneficiary",
  "metadata",
  "fixed",
  "reissue_of",
  "operation_id",
  "operation_content",
  "actor",
  "created_at",
] as const satisfies readonly (keyof QuoteDocument)[];

type StoredClaim = {
  payout_id: string;
  order: Binary;
  operation_id: string;
  claimed_at: Date;
};

export type QuoteStore = ReturnType<typeof openQuotes>;

export function openQuotes({ db }: Database) {
  const quotes = db.collection<QuoteDocument>("quotes");
  const firstOf = (found: QuoteDocument, content: string) =>
    isOther(found, content) ? otherContent : toQuote(found);
  return {
    /** Returns the quote that an operation created. Refuses if a repeat has a different request. */
    findByOperation: async (merchantId: string, { operationId, content }: RequestedChange) => {
      const found = await quotes.findOne({ merchant_id: merchantId, operation_id: operationId });
      return found === null ? undefined : firstOf(found, content);
    },
    /**
     * Stores a new quote. Returns the operation's existing quote if a concurrent call stored it
     * first.
     */
    insert: async (quote: Quote, { operationId, actor, content }: RequestedChange) => {
      const operation = { operation_id: operationId, operation_content: content, actor };
      const fields = { ...quoteDocument(quote), ...operation };
      const content_hash = contentHash<Omit<QuoteDocument, "content_hash">>(
        "disburse quote 1",
        hashedFields,
        fields,
      );
      const document: QuoteDocument = { ...fields, content_hash };
      const { merchant_id, operation_id } = document;
      return firstOf(await insertOrFind(quotes, document, { merchant_id, operation_id }), content);
    },
    read: async (merchantId: string, id: string): Promise<Quote | undefined> => {
      const found = await quotes.findOne({ _id: id, merchant_id: merchantId });
      return found === null ? undefined : toQuote(found);
    },
    /** Reads any merchant's quote with the database's time, which decides expiry. */
    readAny: async (id: string): Promise<{ quote: Quote; now: Date } | undefined> => {
      const found = await findWithTime(quotes, id);
      if (found === null) return undefined;
      const { now, ...stored } = found;
      return { quote: toQuote(stored), now };
    },
    claim: (id: string, claim: Omit<Claim, "claimedAt">) => claimQuote(quotes, id, claim),
    /** Sets an open quote's expiry to now, unless it already passed. Returns the updated quote. */
    endNow: async (merchantId: string, id: string): Promise<Quote | undefined> => {
      const its = { _id: id, merchant_id: merchantId };
      const ended = { expires_at: { $min: ["$expires_at", "$$NOW"] }, updated_at: "$$NOW" };
      await quotes.updateOne({ ...its, state: "open" }, [{ $set: ended }]);
      const found = await quotes.findOne(its);
      return found === null ? undefined : toQuote(found);
    },
    /** Expires an open quote, so that no later claim can win. Returns the updated quote. */
    expire: async (id: string): Promise<Quote | undefined> => {
      const ended = { state: "expired", updated_at: "$$NOW" };
      await quotes.updateOne({ _id: id, state: "open" }, [{ $set: ended }]);
      const found = await quotes.findOne({ _id: id });
      return found === null ? undefined : toQuote(found);
    },
  };
}

/**
 * Claims a quote. A single write changes an open quote to claimed, or to expired if the database's
 * clock is past its expiry. Returns the stored quote after the write.
 */
async function claimQuote(
  quotes: Collection<QuoteDocument>,
  id: string,
  claim: Omit<Claim, "claimedAt">,
): Promise<Quote | undefined> {
  const inTime = { $lt: ["$$NOW", "$expires_at"] };
  const taken = {
    payout_id: { $literal: claim.payoutId },
    order: new Binary(claim.order),
    operation_id: { $literal: claim.operationId },
    claimed_at: "$$NOW",
  };
  const ended = { $cond: [inTime, "claimed", "expired"] };
  // The update itself checks the state; see `setAtRevision`.
  const ifOpen = (next: unknown, current: string) => ({
    $cond: [{ $eq: ["$state", "open"] }, next, current],
  });
  const update = {
    state: ifOpen(ended, "$state"),
    claim: ifOpen({ $cond: [inTime, taken, "$$REMOVE"] }, "$claim"),
    updated_at: ifOpen("$$NOW", "$updated_at"),
  };
  await quotes.updateOne({ _id: id }, [{ $set: update }]);
  // Claimed and expired are final states, so this read returns the outcome of the write.
  const found = await quotes.findOne({ _id: id });
  return found === null ? undefined : toQuote(found);
}

function quoteDocument({ id, state, rate, ...quoted }: Quote) {
  const stored = toStored<QuotedText>({ ...quoted, rate: formatDecimal(rate) });
  return { _id: id, schema_version: 1, ...stored, state };
}

function toQuote(document: QuoteDocument): Quote {
  const { _id: id, schema_version, operation_id, operation_content, actor, ...own } = document;
  const { content_hash, state, claim, ...stored } = own;
  const { rate, ...quoted } = fromStored<QuotedText>(stored);
  return { id, ...quoted, rate: storedDecimal(rate), ...quoteState({ state, claim }) };
}

function quoteState({ state, claim }: Pick<QuoteDocument, "state" | "claim">): QuoteState {
  if (state !== "claimed") return { state };
  if (claim === undefined) throw new Error("a quote in the state claimed has no stored claim");
  return {
    state,
    claim: {
      payoutId: claim.payout_id,
      order: claim.order.value(),
      operationId: claim.operation_id,
      claimedAt: claim.claimed_at,
    },
  };
}
