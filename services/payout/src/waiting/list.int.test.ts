import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  ListPayoutsRequestSchema,
  type ListPayoutsResponse,
  PayoutOrderBy,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toOrder } from "../orders/document.ts";
import { setExecuted } from "../orders/store.ts";
import { beginWaiting } from "../orders/waiting-store.ts";
import type { ClaimedQuote } from "../payouts/rules/payout.ts";
import { order, storedPayout } from "../payouts/test-documents.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { type WaitingDocument, waitingDocument } from "./document.ts";
import { withWaiting } from "./list.ts";
import { markAccount } from "./store.ts";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const count = 10_050;
const merchantId = "mer_waits";
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function quoted(of: string, minor: bigint): ClaimedQuote {
  return {
    ...{ id: newId("quote"), merchantId: of, accountId: "acc_1", corridorId: "cor_1" },
    ...{ source: "USD", destination: "USD", exchangeRate: "1", returnCharges: "platform" as const },
    ...{ reissueOf: undefined, destinationKeys: ["destination_1"], duplicateKeys: [] },
    ...{ sourceMinor: minor, feesMinor: 0n, receivingMinor: minor },
    isReceivingFixed: false,
    beneficiary: {
      ...{ id: "ben_1", name: "Ada Lovelace", accountNumberMasked: "********1234" },
      ...{ transferMethod: "ACH", network: "" },
    },
    claimedAt: new Date(start),
  };
}

/** A payout that an execute has just let wait. */
function fresh(of: string, at: number, minor: bigint): WaitingDocument {
  const quote = quoted(of, minor);
  const wait = { quoted: quote, maxSource: minor };
  const request = { ...order, merchantId: of, quoteId: quote.id, operationId: newId("event") };
  const now = new Date(start + at * minute);
  return waitingDocument(request, { ...wait, expiresAt: new Date(start) }, now);
}

/** A payout that waited and was cancelled, as a write of the service leaves it. */
function ended(of: string, at: number, accountId: string): WaitingDocument {
  const { due_at: _, quote: __, balance, ...document } = fresh(of, at, BigInt(1_000 + at));
  const { preparing: ___, ...wait } = balance;
  return {
    ...document,
    ...{ account_id: accountId, state: "cancelled" },
    balance: { ...wait, listed: true },
  };
}

type Search = MessageInitShape<typeof ListPayoutsRequestSchema>;
/** The place of each payout in the order of creation. */
const places = new Map([["po_between", 5_000.5]]);
const placesIn = ({ payouts }: Pick<ListPayoutsResponse, "payouts">) =>
  payouts.map(({ id }) => places.get(id));

/** Marks an account of the merchant, so that its lists read waiting payouts. */
async function waits(of: string) {
  await markAccount(platform.ledger, await platform.fundedAccount(of, "1.00"));
}

/** Fields that the driver adds to a command. `explain` accepts none of them. */
const driverFields = ["lsid", "$db", "$clusterTime", "writeConcern", "readConcern", "txnNumber"];

/** Returns what each read of waiting payouts examines for a list, and the indexes that it uses. */
async function costsOf(search: Search) {
  const commands: Document[] = [];
  const client = new MongoClient(mongodbUri(platform.database.db.databaseName), {
    monitorCommands: true,
  });
  client.on("commandStarted", ({ command }) => {
    if (command.find !== undefined || command.aggregate !== undefined) commands.push(command);
  });
  const db = client.db(platform.database.db.databaseName);
  const request = create(ListPayoutsRequestSchema, { merchantId, ...search });
  const none = { payouts: [], nextCursor: "", totalCount: 0n };
  await withWaiting(db.collection("waiting_payouts"), request, none);
  const read = [...commands];
  const costs = [];
  for (const command of read) {
    const own = Object.entries(command).filter(([field]) => !driverFields.includes(field));
    const explain = Object.fromEntries(own);
    const explained = await db.command({ explain, verbosity: "executionStats" });
    const { executionStats, queryPlanner } = explained.stages?.[0].$cursor ?? explained;
    const { totalDocsExamined: documents, totalKeysExamined: keys } = executionStats;
    const plan = JSON.stringify(queryPlanner.winningPlan);
    costs.push({ documents, keys, index: /"indexName":"(\w+)"/.exec(plan)?.[1] });
  }
  await client.close();
  return costs;
}

describe("a list with many waiting payouts", () => {
  const list = (search: Search = {}) => platform.rpc.listPayouts({ merchantId, ...search });

  beforeAll(async () => {
    await waits(merchantId);
    // Only the oldest and the newest are of the second account.
    const few = new Set([0, 1, count - 1]);
    const documents = Array.from({ length: count }, (_each, at) =>
      ended(merchantId, at, few.has(at) ? "acc_few" : "acc_many"),
    );
    for (const [at, { _id }] of documents.entries()) places.set(_id, at);
    for (let at = 0; at < count; at += 1_000) {
      await platform.waiting.insertMany(documents.slice(at, at + 1_000));
    }
    // A payout between the waiting ones.
    const created_at = new Date(start + 5_000.5 * minute);
    await platform.payouts.insertOne(
      storedPayout({
        ...{ _id: "po_between", merchant_id: merchantId, account_id: "acc_few" },
        ...{ operations: [{ id: "middle", content: "" }], created_at, updated_at: created_at },
        ...{ source: "USD", source_minor: toDecimal128(6_000n) },
      }),
    );
  }, 60_000);

  it("reads at most 10,000 of them for a page and a count", async () => {
    const few = { accountId: "acc_few" };
    const first = await list(few);
    expect(placesIn(first)).toEqual([count - 1, 5_000.5]);
    expect(first).toMatchObject({ totalCount: 2n, totalCountCapped: true });
    const second = await list({ ...few, cursor: first.nextCursor });
    expect(placesIn(second)).toEqual([1, 0]);
    expect(second.nextCursor).toBe("");
    const cheapest = { ...few, sourceCurrencyCode: "USD", orderBy: PayoutOrderBy.LOWEST };
    const lowest = await list(cheapest);
    expect(placesIn(lowest)).toEqual([0, 1, 5_000.5]);
    const rest = await list({ ...cheapest, cursor: lowest.nextCursor });
    expect(placesIn(rest)).toEqual([count - 1]);
    expect(rest.nextCursor).toBe("");
  }, 60_000);

  it.each([
    ["an account", {}, "list"],
    ["a status", { status: PayoutStatus.FAILED }, "list"],
    ["an amount", { sourceCurrencyCode: "USD", orderBy: PayoutOrderBy.LOWEST }, "list_amount"],
    ["a name", { beneficiaryName: "ADA LOVELACE" }, "list_beneficiary_name"],
  ])(
    "finds the bound of a list by %s in the index alone",
    async (_what, search, index) => {
      const [bound, other, ...rest] = await costsOf({ accountId: "acc_few", ...search });
      for (const each of [bound, other]) {
        expect(each?.index).toBe(index);
        // The keys of a collation hold no text, so one document is read for the place.
        expect(each?.documents).toBe(index === "list_beneficiary_name" ? 1 : 0);
        expect(each?.keys).toBeLessThanOrEqual(10_001);
      }
      expect(rest).toHaveLength(2);
      for (const each of rest) {
        expect(each.index).toBe(index);
        expect(each.documents).toBeLessThanOrEqual(10_000);
      }
    },
    60_000,
  );

  it.each([
    ["any", {}, "list"],
    ["the oldest", { orderBy: PayoutOrderBy.OLDEST }, "list"],
    ["the cheapest", { sourceCurrencyCode: "USD", orderBy: PayoutOrderBy.LOWEST }, "list_amount"],
    ["a name's", { beneficiaryName: "ada lovelace" }, "list_beneficiary_name"],
  ])("reads only the documents of a page: %s", async (_what, search, index) => {
    const costs = await costsOf({ withoutTotal: true, limit: 20, ...search });
    expect(costs).toEqual([{ documents: 21, keys: expect.any(Number), index }]);
    expect(costs[0]?.keys).toBeLessThanOrEqual(22);
  });

  it("counts at most 10,000, and nothing if the request says so", async () => {
    const named = { limit: 1, beneficiaryName: "ada lovelace" };
    expect(await list(named)).toMatchObject({ totalCount: 10_001n, totalCountCapped: true });
    expect((await list({ ...named, withoutTotal: true })).totalCount).toBe(0n);
  });

  it("pages through all of them in both directions", async () => {
    for (const [orderBy, first] of [
      [PayoutOrderBy.NEWEST, count - 1],
      [PayoutOrderBy.OLDEST, 0],
    ] as const) {
      const search = { orderBy, limit: 100, status: PayoutStatus.FAILED, withoutTotal: true };
      const seen: unknown[] = [];
      for (let cursor = ""; ; ) {
        const page = await list({ ...search, cursor });
        seen.push(...placesIn(page));
        cursor = page.nextCursor;
        if (cursor === "") break;
      }
      expect([seen[0], new Set(seen).size, seen.length]).toEqual([first, count, count]);
    }
    expect(placesIn(await list({ accountId: "acc_none" }))).toEqual([]);
  }, 120_000);
});

it("lists none that is being prepared or was paid, and has none in its indexes", async () => {
  const of = "mer_paid_waits";
  await waits(of);
  const list = async () => (await platform.rpc.listPayouts({ merchantId: of })).payouts;
  const document = fresh(of, 0, 1_000n);
  await platform.waiting.insertOne(document);
  expect(await list()).toEqual([]);
  await beginWaiting(platform.waiting, document._id);
  expect(await list()).toHaveLength(1);
  const own = { merchant_id: of, "balance.listed": true as const };
  expect(await platform.waiting.countDocuments(own, { hint: "list" })).toBe(1);
  await setExecuted(platform.waiting, { order: toOrder(document) }, document._id);
  expect(await list()).toEqual([]);
  expect(await platform.waiting.countDocuments(own, { hint: "list" })).toBe(0);
});
