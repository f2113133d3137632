import { create } from "@bufbuild/protobuf";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ListPayoutsRequestSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { isRefused, otherContent } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unavailable } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { readResolvable } from "./exceptions.ts";
import { listPayouts } from "./list.ts";
import type { PayoutOrder } from "./rules/payout.ts";
import { payoutIdOf } from "./rules/payout.ts";
import { findPayout, ordersIn, placeOrder, removeOrder } from "./store.ts";
import { order } from "./test-documents.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount(merchantId, "100.00");
});
afterAll(() => platform.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code,
  );

const orderOf = (quoteId: string, change: Partial<PayoutOrder> = {}): PayoutOrder => ({
  ...order,
  ...{ quoteId, operationId: `op of ${quoteId}`, ...change },
});
async function place(order: PayoutOrder) {
  const placed = await placeOrder(platform.payouts, order);
  return isRefused(placed) ? placed : placed.order;
}
const stored = (quoteId: string) =>
  ordersIn(platform.payouts).findOne({ _id: derivedId("payout", quoteId) });

describe("an order", () => {
  it("is stored under its payout's id, once for its operation", async () => {
    const order = orderOf("qt_1");
    const onlyTry = expect.any(String);
    expect(await placeOrder(platform.payouts, order)).toEqual({ order, onlyTry });
    expect(await placeOrder(platform.payouts, order)).toEqual({ order });
    expect(await stored("qt_1")).toMatchObject({
      order: { quote_id: "qt_1", content: "content_1" },
    });
  });

  it.each([
    ["other content", "qt_2", { content: "content_2" }],
    ["another quote", "qt_other", { operationId: "op of qt_2" }],
  ])("is refused if its operation was used with %s", async (_what, quoteId, change) => {
    await place(orderOf("qt_2"));
    expect(await place(orderOf(quoteId, change))).toEqual(otherContent);
    expect(await stored("qt_other")).toBeNull();
    expect((await stored("qt_2"))?.order.content).toBe("content_1");
  });

  it("that was refused is removed by its only try, and its operation is free again", async () => {
    const order = orderOf("qt_refused");
    const [first, other] = ["qt_refused", "qt_other_body"];
    const tryIt = async (of: PayoutOrder) => {
      const placed = await placeOrder(platform.payouts, of);
      return isRefused(placed) ? undefined : placed.onlyTry;
    };
    const remove = (onlyTry = "") => removeOrder(platform.payouts, order, onlyTry);
    await remove(await tryIt(order));
    expect(await stored(first)).toBeNull();
    const { operationId } = order;
    expect(await tryIt(orderOf(other, { operationId }))).toBeDefined();
    await ordersIn(platform.payouts).deleteOne({ _id: payoutIdOf({ quoteId: other }) });
    // Another attempt of the operation, or another operation, relies on it.
    for (const again of [order, orderOf(first, { operationId: "another" })]) {
      const onlyTry = await tryIt(order);
      await place(again);
      await remove(onlyTry);
      expect((await stored(first))?.order.quote_id).toBe(first);
      await ordersIn(platform.payouts).deleteOne({ _id: payoutIdOf({ quoteId: first }) });
    }
  });

  it("of a created payout is not removed", async () => {
    const order = orderOf("qt_created");
    const placed = await placeOrder(platform.payouts, order);
    await ordersIn(platform.payouts).updateOne(
      { _id: payoutIdOf({ quoteId: "qt_created" }) },
      { $set: { status: "initiated" } },
    );
    await removeOrder(platform.payouts, order, "onlyTry" in placed ? (placed.onlyTry ?? "") : "");
    expect(await stored("qt_created")).not.toBeNull();
    await ordersIn(platform.payouts).deleteOne({ _id: payoutIdOf({ quoteId: "qt_created" }) });
  });

  it("can't switch to a quote that another operation has ordered", async () => {
    await place(orderOf("qt_3"));
    await place(orderOf("qt_4"));
    expect(await place(orderOf("qt_4", { operationId: "op of qt_3" }))).toEqual(otherContent);
    expect((await stored("qt_4"))?.order.operation_id).toBe("op of qt_4");
  });

  it("is replaced by the next order of its quote until the payout is created", async () => {
    await place(orderOf("qt_5"));
    const next = orderOf("qt_5", { operationId: "next" });
    expect(await place(next)).toEqual(next);
    expect((await stored("qt_5"))?.order.operation_id).toBe("next");
  });

  it("that gave way keeps its operation for its quote: its claim may win still", async () => {
    await place(orderOf("qt_8"));
    await place(orderOf("qt_8", { operationId: "next of qt_8" }));
    expect(await place(orderOf("qt_9", { operationId: "op of qt_8" }))).toEqual(otherContent);
    const content = "content_2";
    expect(await place(orderOf("qt_8", { content }))).toEqual(otherContent);
    expect(await place(orderOf("qt_8"))).toEqual(orderOf("qt_8"));
    const found = await stored("qt_8");
    expect(found?.order.operation_id).toBe("op of qt_8");
    expect(found?.operations).toHaveLength(2);
  });

  it("has at most 1,001 operations", async () => {
    await place(orderOf("qt_10"));
    const operations = Array.from({ length: 1_001 }, (_each, at) => ({
      ...{ id: `mer_1:tried ${at}`, content: "" },
    }));
    const _id = derivedId("payout", "qt_10");
    await ordersIn(platform.payouts).updateOne({ _id }, { $set: { operations } });
    const another = place(orderOf("qt_10", { operationId: "once more" }));
    await expect(another).rejects.toThrow("too many different operations");
  });

  it("is no payout: no one sees it, merchant or operator", async () => {
    await place(orderOf("qt_7", { merchantId }));
    const payoutId = derivedId("payout", "qt_7");
    expect(await findPayout(platform.payouts, payoutId)).toBeUndefined();
    expect(await codeOf(platform.rpc.getPayout({ merchantId, payoutId }))).toBe("RECORD_NOT_FOUND");
    expect((await platform.rpc.listPayouts({ merchantId })).payouts).toEqual([]);
    const principal = { id: "ada", roles: new Set(["support"] as const) };
    const context = { requestId: "req", principal: { kind: "person" as const, ...principal } };
    const asked = create(ListPayoutsRequestSchema, {});
    const all = await withCallContext(context, () =>
      listPayouts(platform.payouts, platform.parts.counts, asked),
    );
    expect(all).toMatchObject({ payouts: [], totalCount: 0n });
    const journal = platform.operatorRpc.getPayoutJournal({ payoutId });
    expect(await codeOf(journal)).toBe("RECORD_NOT_FOUND");
    expect(await readResolvable(platform.payouts, payoutId, "op", new Date())).toBeUndefined();
  });

  it("of a created payout is not replaced", async () => {
    const quoteId = platform.quote(accountId);
    await platform.rpc.executePayout({ mutation: platform.operation(), merchantId, quoteId });
    const before = await stored(quoteId);
    const own = await findPayout(platform.payouts, before?._id ?? "");
    expect(await place(orderOf(quoteId))).toEqual(own?.order);
    expect(await stored(quoteId)).toEqual(before);
  });
});

it("a crash of two operations on one quote leaves one payout, of the order that was stored last", async () => {
  const quoteId = platform.quote(accountId);
  platform.faults.claim = () => {
    throw unavailable();
  };
  const execute = (referenceId: string, mutation = platform.operation()) =>
    platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId });
  const [first, last] = [platform.operation(), platform.operation()];
  await expect(execute("first", first)).rejects.toThrow();
  await expect(execute("last", last)).rejects.toThrow();
  platform.faults.claim = () => undefined;
  platform.world.offsetMs = 6_000;
  await platform.sweep();
  platform.world.offsetMs = 0;
  const payout = await findPayout(platform.payouts, derivedId("payout", quoteId));
  expect(payout?.order.details.referenceId).toBe("last");
  expect(await codeOf(execute("first", first))).toBe("ALREADY_PROCESSED");
  expect((await execute("last", last)).payoutId).toBe(payout?.id);
});
