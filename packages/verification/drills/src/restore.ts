import { isDeepStrictEqual } from "node:util";
import { say } from "@disburse/harness/command-line.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import {
  callGateway,
  execute,
  type Order,
  post,
  registerBeneficiary,
  requestQuote,
} from "@disburse/platform/merchant.ts";
import type { Document, MongoClient } from "mongodb";
import type { Drill } from "./drill.ts";
import type { DrillPlatform } from "./platform.ts";

/** A backup of one idle database: the documents by collection. */
type DatabaseCopy = ReadonlyMap<string, readonly Document[]>;

/** These references select outcomes of the simulated rail for the lost orders. */
const references = ["order-1", "order-2", "sandbox-fail-3", "sandbox-return-4"];

/**
 * Pays, copies a database, and pays again. Stops the service, restores the copy, then recovers by
 * the runbook. Prints progress and returns the remaining problems.
 */
export async function runDrill(platform: DrillPlatform, drill: Drill): Promise<string[]> {
  const { service } = drill;
  say(`\n── the ${service} database loses its newest writes`);
  const name = platform.database(service);
  const noted = (await drill.before?.(platform)) ?? {};
  const beneficiaryId = await registerBeneficiary(platform);
  const early = await requestQuote(platform, beneficiaryId);
  await pay(platform, beneficiaryId, ["order-kept"]);
  await platform.rest();
  const accepted = new Set((await platform.findings()).map(asText));
  const isNew = (finding: Finding) => !accepted.has(asText(finding));
  const copy = await copyDatabase(platform.client, name);

  const orders = [await execute(platform, early, "order-early")];
  orders.push(...(await pay(platform, beneficiaryId, references)));
  await drill.after?.(platform, noted);
  await platform.rest();
  const before = await world(platform, orders);
  const heard = platform.webhooks.length;

  await platform.kill(service);
  const lost = await restoreDatabase(platform.client, name, copy, drill.kept);
  await drill.beforeStart?.(platform);
  await platform.start(service);
  say(`lost: ${[...lost].map(([what, count]) => `${count} ${what}`).join(", ")}`);
  sayFindings("after the restore", (await platform.findings()).filter(isNew));

  for (const line of await drill.recover(platform, { orders, noted })) say(`  ${line}`);
  await platform.rest();
  const findings = (await platform.findings()).filter(isNew);
  sayFindings("after the recovery", findings);
  sayWebhooks(platform, heard);
  const after = await world(platform, orders);
  return [
    ...findings.filter((each) => !drill.stays(each)).map(asText),
    ...differences(before, after),
    ...(await otherAnswers(platform, orders)),
    ...platform.takeFailures(),
  ];
}

const asText = ({ invariant, subject, detail }: Finding) => `${invariant}: ${subject} ${detail}`;

/** Sends orders to one beneficiary, each with its own quote. */
async function pay(
  platform: DrillPlatform,
  beneficiaryId: string,
  of: readonly string[],
): Promise<Order[]> {
  const orders: Order[] = [];
  for (const reference of of) {
    const quoteId = await requestQuote(platform, beneficiaryId);
    orders.push(await execute(platform, quoteId, `${reference}-${quoteId}`));
  }
  return orders;
}

type World = Readonly<Record<string, unknown>>;

/** Returns the state that a recovery must preserve: money, outcomes and the rail's payments. */
async function world(platform: DrillPlatform, orders: readonly Order[]): Promise<World> {
  const { clients, client, merchantId, accountId } = platform;
  const { account } = await clients.payout.getAccount({ merchantId, accountId });
  const transfers = client.db(platform.database("payout")).collection("sandbox_transfers");
  const outcomes = await Promise.all(
    orders.map(async ({ payoutId }) => {
      const { data } = await callGateway(platform, "GET", `/transfer/payouts/${payoutId}`);
      return [payoutId, `${data?.status} ${data?.sub_status}`] as const;
    }),
  );
  return {
    "available and held": `${account?.available} ${account?.held}`,
    "transfers of the rail": await transfers.countDocuments(),
    ...Object.fromEntries(outcomes),
  };
}

function differences(before: World, after: World): string[] {
  return Object.keys(before)
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => `${key}: was ${before[key]}, is ${after[key]}`);
}

/**
 * Repeats the merchant's orders with their idempotency keys. Returns the orders that now have a
 * different payout.
 */
async function otherAnswers(platform: DrillPlatform, orders: readonly Order[]) {
  const problems: string[] = [];
  for (const { payoutId, body, key } of orders) {
    const { id } = await post(platform, "/transfer/execute", body, key);
    if (id !== payoutId) problems.push(`a repeat of ${payoutId} was answered with ${id}`);
  }
  return problems;
}

const findingsShown = 12;

function sayFindings(when: string, findings: readonly Finding[]): void {
  say(
    `${when}: ${findings.length === 0 ? "every invariant holds" : `${findings.length} findings`}`,
  );
  for (const { invariant, subject, detail } of findings.slice(0, findingsShown)) {
    say(`  ${String(invariant).padStart(2)}  ${subject}: ${detail}`);
  }
}

/** A redelivered webhook has the same `webhook-id`, so that a merchant recognizes it. */
function sayWebhooks({ webhooks }: DrillPlatform, heard: number): void {
  const known = new Set(webhooks.slice(0, heard));
  const since = webhooks.slice(heard);
  const again = since.filter((each) => known.has(each)).length;
  say(`webhooks since: ${again} again under their webhook-id, ${since.length - again} new`);
}

/** Copies every collection of a database. Requires that nothing writes. */
async function copyDatabase(client: MongoClient, name: string): Promise<DatabaseCopy> {
  const db = client.db(name);
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const copies = collections.map(
    async ({ name: each }) => [each, await db.collection(each).find().toArray()] as const,
  );
  return new Map(await Promise.all(copies));
}

/**
 * Restores a database to a copy but keeps its indexes. `kept` lists collections that are not the
 * service's own data. Returns the number of lost documents by collection.
 */
async function restoreDatabase(
  client: MongoClient,
  name: string,
  copy: DatabaseCopy,
  kept: readonly string[] = [],
): Promise<ReadonlyMap<string, number>> {
  const lost = new Map<string, number>();
  const now = await copyDatabase(client, name);
  for (const [collection, documents] of now) {
    if (kept.includes(collection)) continue;
    const before = copy.get(collection) ?? [];
    const place = client.db(name).collection(collection);
    await place.deleteMany({});
    if (before.length > 0) await place.insertMany([...before]);
    if (documents.length > before.length) lost.set(collection, documents.length - before.length);
  }
  return lost;
}
