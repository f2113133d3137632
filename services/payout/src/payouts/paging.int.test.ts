import { afterCursor } from "@disburse/chassis/paging/page.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { PayoutFilter } from "./list.ts";

const merchantId = "mer_1";
const count = 600;
/** The number of payouts in each millisecond. */
const together = 7;
let platform: TestPlatform;
const newestFirst: string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  const { payoutId } = await platform.rpc.executePayout({ mutation, merchantId, quoteId });
  const made = await platform.payouts.findOne({ _id: payoutId });
  if (made === null) throw new Error("no payout to copy");
  const copies = Array.from({ length: count }, (_each, at) => ({
    ...made,
    _id: `po_${String(at).padStart(6, "0")}`,
    merchant_id: "mer_many",
    operations: [{ id: `op_${at}`, content: "" }],
    created_at: new Date(1_600_000_000_000 + Math.floor(at / together)),
  }));
  await platform.payouts.insertMany(copies);
  newestFirst.push(...copies.map(({ _id }) => _id).reverse());
});
afterAll(() => platform.stop());

it("shows each of many payouts of one moment once, in one order", async () => {
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await platform.rpc.listPayouts({ merchantId: "mer_many", limit: 50, cursor });
    seen.push(...page.payouts.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(seen).toEqual(newestFirst);
});

it.each<PayoutFilter>([
  {},
  { status: "initiated" },
  { source: "USD" },
  { beneficiary_id: "ben_1" },
])("reads as little for a page far down as for the first: %j", async (filter) => {
  for (const at of [50, 350, 590]) {
    const after = {
      at: new Date(1_600_000_000_000 + Math.floor(at / together)),
      id: `po_${String(at).padStart(6, "0")}`,
    };
    const { executionStats } = await platform.payouts
      .find(afterCursor({ ...filter, merchant_id: "mer_many" }, after))
      .sort({ created_at: -1, _id: -1 })
      .limit(20)
      .explain("executionStats");
    expect(executionStats.nReturned).toBe(20);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(20 + together + 1);
  }
});
