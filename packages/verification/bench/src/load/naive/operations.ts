import { randomBytes } from "node:crypto";
import { Long, type MongoClient } from "mongodb";
import { request } from "undici";

export type NaiveScenario = NaiveOperation | "lifecycle";

/** One turn's requests, in order. Call `answered` after the last answer. */
type NaiveTurn = { readonly paths: readonly string[]; readonly answered?: () => void };

let created = 0;
const unclaimed: string[] = [];

type Row = { readonly _id: string } & Readonly<Record<string, unknown>>;

type NaiveRequest = { readonly id: string; readonly account: string };

/** The naive program's database, and the URL of its webhooks. */
export type NaivePlaces = {
  readonly client: MongoClient;
  readonly database: string;
  readonly webhookUrl: string;
};

const sizes = { accounts: 1_000, payouts: 1_000 };
const pageLength = 20;
/** The size of the platform's quote or payout document. */
const bodyBytes = 800;
const amount = 500;
const funds = 1_000_000_000_000n;

const newBody = () => randomBytes(bodyBytes / 2).toString("hex");

export const accountId = (at: number) => `account-${at % sizes.accounts}`;
const payoutId = (at: number) => `payout-${at}`;

const collectionOf = ({ client, database }: NaivePlaces, name: string) =>
  client.db(database).collection<Row>(name);

export async function prepareNaive(places: NaivePlaces): Promise<void> {
  const of = (name: string) => collectionOf(places, name);
  const at = new Date();
  const available = Long.fromBigInt(funds);
  await of("corridors").insertOne({ _id: "corridor", body: newBody() });
  await of("beneficiaries").insertOne({ _id: "beneficiary", body: newBody() });
  const accounts = Array.from({ length: sizes.accounts }, (_, nth) => {
    return { _id: accountId(nth), available, held: Long.ZERO };
  });
  await of("accounts").insertMany(accounts);
  const payouts = Array.from({ length: sizes.payouts }, (_, nth) => newPayout(payoutId(nth), at));
  await of("payouts").insertMany(payouts);
  await of("payouts").createIndex({ merchant: 1, at: -1 });
}

function newPayout(_id: string, at: Date): Row {
  return { _id, merchant: "naive", status: "initiated", amount, at, body: newBody() };
}

/**
 * The minimum work of a payout platform, one awaited command after another. A fixed baseline: do
 * not change it with the platform.
 */
export const naiveOperations = {
  quote: async (places: NaivePlaces, { id }: NaiveRequest) => {
    await mustFind(places, "corridors", "corridor");
    await mustFind(places, "beneficiaries", "beneficiary");
    const quote = { _id: id, state: "open", amount, at: new Date(), body: newBody() };
    await collectionOf(places, "quotes").insertOne(quote);
  },

  execute: async (places: NaivePlaces, { id, account }: NaiveRequest) => {
    const of = (name: string) => collectionOf(places, name);
    const change = async (name: string, filter: object, update: object) => {
      const { matchedCount } = await of(name).updateOne(filter, update);
      must(matchedCount === 1, `a document of ${name}`);
    };
    await change("quotes", { _id: id, state: "open" }, { $set: { state: "claimed" } });
    const funded = { _id: account, available: { $gte: amount } };
    await change("accounts", funded, { $inc: { available: -amount, held: amount } });
    await of("payouts").insertOne(newPayout(id, new Date()));
    const settled = { $set: { status: "succeeded" } };
    await change("payouts", { _id: id, status: "initiated" }, settled);
    await change("accounts", { _id: account }, { $inc: { held: -amount } });
    await of("ledger_entries").insertMany(ledgerEntries(id, account));
    const delivery = { _id: id, state: "due", at: new Date(), body: newBody() };
    await of("deliveries").insertOne(delivery);
    await postWebhook(places.webhookUrl, id, delivery.body);
    await change("deliveries", { _id: id, state: "due" }, { $set: { state: "delivered" } });
  },

  read: async (places: NaivePlaces) => {
    await mustFind(places, "payouts", payoutId(Math.floor(Math.random() * sizes.payouts)));
  },

  list: async (places: NaivePlaces) => {
    const payouts = collectionOf(places, "payouts");
    const newest = payouts.find({ merchant: "naive" }).sort({ at: -1 }).limit(pageLength);
    must((await newest.toArray()).length === pageLength, "a page");
  },

  beneficiary: async (places: NaivePlaces, { id }: NaiveRequest) => {
    await mustFind(places, "accounts", accountId(0));
    const beneficiary = { _id: id, at: new Date(), body: newBody() };
    await collectionOf(places, "beneficiaries").insertOne(beneficiary);
  },
};

export type NaiveOperation = keyof typeof naiveOperations;

function ledgerEntries(id: string, account: string): Row[] {
  const at = new Date();
  return ["hold", "post", "fee"].map((step) => {
    return { _id: `${id}:${step}`, account, step, amount, at };
  });
}

async function mustFind(places: NaivePlaces, collection: string, id: string): Promise<void> {
  must(
    (await collectionOf(places, collection).findOne({ _id: id })) !== null,
    `${collection} ${id}`,
  );
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

/** Fails instead of skipping a step, which would make the baseline too fast. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the naive program did not find ${what}`);
}

/** Returns a scenario's next turn, or `undefined` if no quote is left to execute. */
export function nextNaiveTurn(
  scenario: NaiveScenario,
  { accounts, answerBytes }: { readonly accounts: number; readonly answerBytes: number },
): NaiveTurn | undefined {
  created += 1;
  const pathsOf = (id: string, ...operations: readonly NaiveOperation[]) => {
    const query = { id, account: accountId(created % accounts), bytes: String(answerBytes) };
    return operations.map((each) => `/${each}?${new URLSearchParams(query)}`);
  };
  const id = `naive-${created}`;
  if (scenario === "lifecycle") return { paths: pathsOf(id, "quote", "execute") };
  if (scenario === "quote") {
    return { paths: pathsOf(id, "quote"), answered: () => unclaimed.push(id) };
  }
  if (scenario !== "execute") return { paths: pathsOf(id, scenario) };
  const quote = unclaimed.shift();
  return quote === undefined ? undefined : { paths: pathsOf(quote, "execute") };
}
