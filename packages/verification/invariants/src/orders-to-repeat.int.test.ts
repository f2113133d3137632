import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectionOf, type Databases } from "./database-check.ts";
import { executeCommand, ordersToRepeat } from "./orders-to-repeat.ts";
import { soundDocuments } from "./test-documents.ts";

let client: MongoClient;
let databases: Databases;

beforeAll(async () => {
  client = new MongoClient(mongodbUri("admin"));
  databases = { client, prefix: `${freshDatabase("repeat")}_` };
  const { quotes, payouts } = soundDocuments();
  await collectionOf(databases, "quotes").insertMany(quotes as never);
  await collectionOf(databases, "payouts").insertMany(payouts as never);
});
afterAll(() => client?.close());

async function commands(): Promise<string[]> {
  const found: string[] = [];
  for await (const order of ordersToRepeat(databases)) found.push(executeCommand(order));
  return found;
}

it("repeats no order whose quote and payout agree", async () => {
  expect(await commands()).toEqual([]);
});

it("repeats an order without a payout from its claim, and one whose quote is open again", async () => {
  await collectionOf(databases, "payouts").deleteOne({ _id: "po_settled" });
  const reopened = { $set: { state: "open" }, $unset: { claim: "" } } as const;
  await collectionOf(databases, "quotes").updateOne({ _id: "qt_going" }, reopened as never);
  const found = await commands();
  expect(found.map((each) => each.split(" --operation ")[1])).toEqual(["op_going", "op_settled"]);
  expect(found[1]).toContain('"quoteId":"qt_settled"');
  expect(found[1]).toContain('"referenceId":"order settled"');
});

it("quotes a merchant's text for the shell", () => {
  const { payouts } = soundDocuments();
  const [{ order }] = payouts as [(typeof payouts)[0]];
  const details = { ...order.details, reference_id: "O'Brien" };
  expect(executeCommand({ ...order, details })).toContain(`"referenceId":"O'\\''Brien"`);
});
