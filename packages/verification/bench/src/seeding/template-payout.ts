import { namesAny } from "@disburse/harness/copies.ts";
import { until } from "@disburse/harness/waiting.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import type { Db, Document } from "mongodb";
import { executeExchange, quoteExchange } from "../load/scenarios.ts";
import { newSeen, senderOf } from "../load/sender.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";

/** The documents of one collection that belong to one payout. */
export type TemplateDocuments = {
  readonly db: Db;
  readonly collection: string;
  readonly documents: readonly Document[];
};

/** Everything that the services store of one payout, from its quote to its settlement. */
export type TemplatePayout = {
  /** What quote, payout and events have in common in their ids. */
  readonly suffix: string;
  /** Of the quote and of the execute: their operations, and the gateway's idempotency keys. */
  readonly operations: readonly string[];
  readonly amount: string;
  readonly createdAt: Date;
  readonly parts: readonly TemplateDocuments[];
};

/** An amount that the sandbox's limits allow and its fees leave something of. */
const templateAmount = "5.00";
/** What several payouts or requests share is no payout's own. */
const shared = ["accounts", "request_log"];

const settling = { timeoutMs: 30_000, everyMs: 100 };

/** Creates a payout as a merchant does, waits until it is settled, and reads its documents. */
export async function createTemplatePayout(platform: BenchPlatform): Promise<TemplatePayout> {
  const { target } = platform;
  const send = senderOf(target, newSeen());
  const quote = await send(quoteExchange(target, templateAmount));
  const { id } = await send(executeExchange(quote));
  const payout = await settled(platform, id);
  const quotes = platform.db("quote").collection<{ _id: string; operation_id: string }>("quotes");
  const stored = await quotes.findOne({ _id: quote.id });
  if (stored === null) throw new Error("the quote is not stored");
  const hashes = [stored.operation_id, payout.order.operation_id].map(operationHash);
  const operations = [...hashes, ...(await newestKeys(platform))];
  const suffix = id.slice("po_".length);
  const parts = await partsNaming(platform, [suffix, ...operations]);
  return { suffix, operations, amount: templateAmount, createdAt: payout.created_at, parts };
}

const operationHash = (operationId: string): string => operationId.replace(/^op_/, "");

/** The hashed idempotency keys of the last two requests: the quote's and the execute's. */
async function newestKeys(platform: BenchPlatform): Promise<string[]> {
  const keys = platform.db("gateway").collection<{ _id: string }>("idempotency_keys");
  const newest = await keys.find().sort({ created_at: -1 }).limit(2).toArray();
  return newest.map(({ _id }) => _id);
}

/** The payout when nothing is left to do for it and its account. */
async function settled(platform: BenchPlatform, payoutId: string): Promise<Document> {
  const payouts = platform.db("payout").collection<{ _id: string }>("payouts");
  const accounts = platform.db("payout").collection<{ _id: string }>("accounts");
  const notified = platform.db("notifier").collection("events");
  let payout: Document = {};
  const isSettled = async () => {
    payout = (await payouts.findOne({ _id: payoutId })) ?? {};
    const account = await accounts.findOne({ _id: platform.target.accountId });
    const events = await notified.countDocuments({ transaction_id: payoutId });
    return account !== null && isDone(payout, account) && events === payout.version;
  };
  if (!(await until(isSettled, settling))) throw new Error("a payout was not settled in time");
  return payout;
}

function isDone(payout: Document, account: Document): boolean {
  if (payout.status !== "succeeded" || payout.lease !== undefined) return false;
  const owed = [payout.outbox, account.recent, account.open_holds];
  return owed.every(({ length }) => length === 0);
}

async function partsNaming(
  platform: BenchPlatform,
  names: readonly string[],
): Promise<TemplateDocuments[]> {
  const parts: TemplateDocuments[] = [];
  for (const service of serviceNames) {
    const db = platform.db(service);
    for (const { name } of await db.listCollections().toArray()) {
      if (shared.includes(name)) continue;
      const all = await db.collection(name).find().toArray();
      const documents = all.filter((document) => namesAny(document, names));
      if (documents.length > 0) parts.push({ db, collection: name, documents });
    }
  }
  return parts;
}
