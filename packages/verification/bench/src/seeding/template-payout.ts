import { until } from "@disburse/harness/waiting.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { BSON, type Db, type Document } from "mongodb";
import { executeQuote, requestQuote, type Target } from "../load/scenarios.ts";
import { newSeen, senderOf } from "../load/sender.ts";
import { untilSettled } from "../measures/money.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";

export type TemplateDocuments = {
  readonly db: Db;
  readonly collection: string;
  readonly documents: readonly Document[];
};

/** Everything that the services store for one payout, from its quote to its settlement. */
export type TemplatePayout = {
  /** The common part of the quote's, payout's and events' ids. */
  readonly suffix: string;
  /** Operation ids and hashed idempotency keys of the quote and the execute. */
  readonly operations: readonly string[];
  /** A delivery id is derived from the event and the endpoint, so each copy has new ids. */
  readonly deliveryIds: readonly string[];
  readonly amount: string;
  readonly createdAt: Date;
  readonly parts: readonly TemplateDocuments[];
};

/** The amount is within the sandbox's limits and higher than its fees. */
const templateAmount = "5.00";
/** Collections whose documents are shared by several payouts or requests. */
const shared = ["accounts", "request_log"];

const settling = { timeoutMs: 30_000, everyMs: 100 };

/** Creates a payout as a merchant does, waits until it is settled, and reads its documents. */
export async function createTemplatePayout(
  platform: BenchPlatform,
  target: Target,
): Promise<TemplatePayout> {
  const send = senderOf(target.baseUrl, target.apiKey, newSeen());
  const quote = await requestQuote(send, target, templateAmount);
  const { id } = await executeQuote(send, quote);
  const payout = await settled(platform, target, id);
  const quotes = platform.db("quote").collection<{ _id: string; operation_id: string }>("quotes");
  const stored = await quotes.findOne({ _id: quote.id });
  if (stored === null) throw new Error("the template payout's quote is not in the database");
  const hashes = [stored.operation_id, payout.order.operation_id].map(operationHash);
  const operations = [...hashes, ...(await newestKeys(platform))];
  const suffix = id.slice("po_".length);
  const parts = await partsNaming(platform, [suffix, ...operations]);
  const deliveries = parts.filter(({ collection }) => collection === "deliveries");
  return {
    suffix,
    operations,
    deliveryIds: deliveries.flatMap(({ documents }) => documents.map(({ _id }) => String(_id))),
    amount: templateAmount,
    createdAt: payout.created_at,
    parts,
  };
}

const operationHash = (operationId: string): string => operationId.replace(/^op_/, "");

/** Returns the hashed idempotency keys of the last two requests: quote and execute. */
async function newestKeys(platform: BenchPlatform): Promise<string[]> {
  const keys = platform.db("gateway").collection<{ _id: string }>("idempotency_keys");
  const newest = await keys.find().sort({ created_at: -1 }).limit(2).toArray();
  return newest.map(({ _id }) => _id);
}

/** Waits until a payout, its account and its webhook have no pending work. Returns the payout. */
async function settled(
  platform: BenchPlatform,
  { endpointId }: Target,
  payoutId: string,
): Promise<Document> {
  await untilSettled(platform.databases);
  const payouts = platform.db("payout").collection<{ _id: string }>("payouts");
  const notifier = platform.db("notifier");
  let payout: Document = {};
  const isSettled = async () => {
    payout = (await payouts.findOne({ _id: payoutId })) ?? {};
    const own = { transaction_id: payoutId };
    const events = await notifier.collection("events").countDocuments(own);
    const delivered = { ...own, state: "delivered" };
    const deliveries = await notifier.collection("deliveries").countDocuments(delivered);
    const { status, lease, outbox = [], version } = payout;
    const isDone = status === "succeeded" && lease === undefined && outbox.length === 0;
    return isDone && events === version && deliveries === (endpointId === undefined ? 0 : 1);
  };
  if (!(await until(isSettled, settling)))
    throw new Error("the template payout was not settled in time");
  return payout;
}

async function partsNaming(
  platform: BenchPlatform,
  names: readonly string[],
): Promise<TemplateDocuments[]> {
  const anyName = new RegExp(names.join("|"));
  const parts: TemplateDocuments[] = [];
  for (const service of serviceNames) {
    const db = platform.db(service);
    for (const { name } of await db.listCollections().toArray()) {
      if (shared.includes(name)) continue;
      const all = await db.collection(name).find().toArray();
      const documents = all.filter((each) => anyName.test(BSON.EJSON.stringify(each)));
      if (documents.length > 0) parts.push({ db, collection: name, documents });
    }
  }
  return parts;
}
