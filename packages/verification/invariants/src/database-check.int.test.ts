import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openerOf } from "./answer-check.ts";
import { checkDatabase, collectionOf, type Databases } from "./database-check.ts";
import type { CollectionName } from "./documents.ts";
import { untilQuiet } from "./quiet.ts";
import { reportLines } from "./report.ts";
import { sealedAnswer, sealingKeys } from "./test-answer.ts";
import { now, soundDocuments } from "./test-documents.ts";

let client: MongoClient;
let databases: Databases;
const options = { now, open: openerOf(sealingKeys) };

beforeAll(async () => {
  client = new MongoClient(mongodbUri("admin"));
  databases = { client, prefix: `${freshDatabase("invariants")}_` };
  const documents = soundDocuments();
  const key = { _id: "key_2", merchant_id: "mer_1" };
  const progress = { state: "done", sealed_answer: sealedAnswer(key, "po_settled") };
  const idempotency_keys = [...documents.idempotency_keys, { ...key, progress }];
  for (const [name, all] of Object.entries({ ...documents, idempotency_keys })) {
    if (all.length === 0) continue;
    await collectionOf(databases, name as CollectionName).insertMany(all as never);
  }
});
afterAll(async () => {
  await client?.close();
});

it("reads all that belongs together, of databases as of memory", async () => {
  const { findings, counts } = await checkDatabase(databases, options);
  expect(findings).toEqual([]);
  expect(counts).toMatchObject({ accounts: 1, ledger_entries: 10, payouts: 4, quotes: 5 });
  expect(counts).toMatchObject({ events: 8, deliveries: 8, idempotency_keys: 2, screenings: 1 });
});

it("names what is under way", async () => {
  const busy = await untilQuiet(databases, 0);
  expect(busy).toEqual(["1 payouts in progress", "1 accounts with entries to record"]);
});

it("says which invariants are broken, and where", async () => {
  await collectionOf(databases, "payouts").deleteOne({ _id: "po_settled" });
  const lines = reportLines(await checkDatabase(databases, options));
  expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  const found = lines.join("\n");
  expect(found).toContain("po_settled:post: a post without a payout");
  expect(found).toContain("qt_settled: was claimed, but its payout does not exist");
  expect(found).toContain("key_2: its stored response names po_settled, which does not exist");
  expect(found).toContain("po_settled: the rail has a transfer without a payout");
});
