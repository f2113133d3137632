import { randomBytes } from "node:crypto";
import { Long, type MongoClient } from "mongodb";
import { request } from "undici";
import type { FloorStore, Row } from "./stores.ts";

/** What a fixed floor does for one HTTP request, by name. */
export type FloorOperation = "quote" | "execute" | "read" | "list" | "beneficiary";

/** A request to a floor; the sender chooses the id, as no answer is needed for it then. */
export type FloorRequest = { readonly id: string; readonly account: string };

/** What an operation may use beside the store. */
export type FloorDeps = {
  readonly store: FloorStore;
  readonly client: MongoClient;
  readonly database: string;
  readonly webhookUrl: string;
};

/** A floor has so many accounts and so many payouts that can be read. */
export const floorSizes = { accounts: 1_000, payouts: 1_000 };
const pageLength = 20;
/** A quote's or a payout's document of the platform has about this size. */
const bodyBytes = 800;
const amount = 500;
/** Enough for any run. */
const funds = 1_000_000_000_000n;

const newBody = () => randomBytes(bodyBytes / 2).toString("hex");

/** Ids of the documents that `prepareFloor` stores. */
export const accountId = (at: number) => `account-${at % floorSizes.accounts}`;
const payoutId = (at: number) => `payout-${at % floorSizes.payouts}`;
/** A payout that can be read. */
export const anyPayoutId = () => payoutId(Math.floor(Math.random() * floorSizes.payouts));

/** Stores what the operations read and change. */
export async function prepareFloor(client: MongoClient, database: string): Promise<void> {
  const db = client.db(database);
  const of = (collection: string) => db.collection<Row>(collection);
  const at = new Date();
  await of("corridors").insertOne({ _id: "corridor", body: newBody() });
  await of("beneficiaries").insertOne({ _id: "beneficiary", body: newBody() });
  const available = Long.fromBigInt(funds);
  await of("accounts").insertMany(
    Array.from({ length: floorSizes.accounts }, (_, nth) => {
      return { _id: accountId(nth), available, held: Long.ZERO };
    }),
  );
  await of("payouts").insertMany(
    Array.from({ length: floorSizes.payouts }, (_, nth) => newPayout(payoutId(nth), at)),
  );
  await of("payouts").createIndex({ merchant: 1, at: -1 });
}

function newPayout(_id: string, at: Date): Row {
  return { _id, merchant: "floor", status: "initiated", amount, at, body: newBody() };
}

/**
 * The least that a payout platform has to do, fixed: it stays the same while the platform's own
 * commands change. Every step is awaited before the next.
 */
export const floorOperations: Readonly<
  Record<FloorOperation, (deps: FloorDeps, request: FloorRequest) => Promise<void>>
> = {
  quote: async ({ store }, { id }) => {
    must((await store.find("corridors", "corridor")) !== null, "a corridor");
    must((await store.find("beneficiaries", "beneficiary")) !== null, "a beneficiary");
    const quote = { _id: id, state: "open", amount, at: new Date(), body: newBody() };
    await store.insert("quotes", [quote]);
  },

  execute: async ({ store, webhookUrl }, { id, account }) => {
    const claim = { $set: { state: "claimed" } };
    must(await store.update("quotes", { _id: id, state: "open" }, claim), "an open quote");
    const funded = { _id: account, available: { $gte: amount } };
    const hold = { $inc: { available: -amount, held: amount } };
    must(await store.update("accounts", funded, hold), "an account with funds");
    await store.insert("payouts", [newPayout(id, new Date())]);
    const settled = { $set: { status: "succeeded" } };
    must(await store.update("payouts", { _id: id, status: "initiated" }, settled), "a payout");
    must(await store.update("accounts", { _id: account }, { $inc: { held: -amount } }), "a hold");
    await store.insert("ledger_entries", ledgerEntries(id, account));
    const delivery = { _id: id, state: "due", at: new Date(), body: newBody() };
    await store.insert("deliveries", [delivery]);
    await postWebhook(webhookUrl, id, delivery.body);
    const delivered = { $set: { state: "delivered" } };
    must(await store.update("deliveries", { _id: id, state: "due" }, delivered), "a delivery");
  },

  read: async ({ store }) => {
    must((await store.find("payouts", anyPayoutId())) !== null, "a payout");
  },

  list: async ({ client, database }) => {
    const payouts = client.db(database).collection<Row>("payouts");
    const newest = payouts.find({ merchant: "floor" }).sort({ at: -1 }).limit(pageLength);
    must((await newest.toArray()).length === pageLength, "a page");
  },

  beneficiary: async ({ store }, { id }) => {
    must((await store.find("accounts", accountId(0))) !== null, "an account");
    await store.insert("beneficiaries", [{ _id: id, at: new Date(), body: newBody() }]);
  },
};

function ledgerEntries(id: string, account: string): Row[] {
  const at = new Date();
  return ["hold", "post", "fee"].map((step) => ({
    _id: `${id}:${step}`,
    account,
    step,
    amount,
    at,
  }));
}

async function postWebhook(url: string, id: string, body: string): Promise<void> {
  const answer = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ transaction_id: id, data: body }),
  });
  await answer.body.dump();
  must(answer.statusCode === 200, "a receiver");
}

/** A floor that leaves out a step would be no floor. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the floor found no match for ${what}`);
}
