import { newId } from "@disburse/kernel/id.ts";
import { beforeEach, describe, expect, it } from "vitest";
import {
  acknowledged,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

let notifier: TestNotifier;

beforeEach(async () => {
  notifier = await startTestNotifier();
  return async () => {
    await notifier.database.db.dropDatabase();
    await notifier.close();
  };
});

const statusOf = (call: { body: Uint8Array }): string =>
  (JSON.parse(Buffer.from(call.body).toString()) as { data: { status: string } }).data.status;

describe("order", () => {
  const payoutId = newId("payout");
  const news = (merchantId: string) => ({
    first: payoutMessage({ merchantId, payoutId }),
    second: payoutMessage({ merchantId, payoutId, status: "succeeded", version: 2 }),
    third: payoutMessage({ merchantId, payoutId, status: "failed", version: 3 }),
  });
  const sent = () => notifier.world.posted.map(statusOf);

  it("is kept when events arrive shuffled and together", async () => {
    const { merchantId } = await register(notifier);
    const { first, second, third } = news(merchantId);
    await notifier.consume([third, first, second]);
    await notifier.work();
    expect(sent()).toEqual(["initiated", "succeeded", "failed"]);
    expect(notifier.world.posted.map(({ headers }) => headers["webhook-sequence"])).toEqual([
      ...["1", "2", "3"],
    ]);
  });

  it("waits for an event that has not arrived, 30 s at most", async () => {
    const { merchantId } = await register(notifier);
    const { first, second, third } = news(merchantId);
    await notifier.consume([second]);
    await notifier.work();
    notifier.advance(29_999);
    await notifier.work();
    expect(sent()).toEqual([]);
    await notifier.consume([first]);
    await notifier.work();
    expect(sent()).toEqual(["initiated", "succeeded"]);
    await notifier.consume([third]);
    await notifier.work();
    expect(sent()).toEqual(["initiated", "succeeded", "failed"]);
  });

  it("is given up after 30 s", async () => {
    const { merchantId } = await register(notifier);
    await notifier.consume([news(merchantId).second]);
    notifier.advance(30_000);
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });

  it("is given up after 3 attempts of the one before", async () => {
    const { merchantId } = await register(notifier);
    notifier.world.answer = (call) =>
      statusOf(call) === "initiated" ? refusedBy(500) : acknowledged;
    const { first, second } = news(merchantId);
    await notifier.consume([first, second]);
    await notifier.work();
    for (const _attempt of [2, 3]) {
      expect(sent()).not.toContain("succeeded");
      await notifier.advanceToNext();
      await notifier.work();
    }
    expect(sent()).toEqual(["initiated", "initiated", "initiated", "succeeded"]);
    await notifier.advanceToNext();
    await notifier.work();
    expect(sent()).toHaveLength(5);
  });

  it("asks nothing of an endpoint that is newer than the event before", async () => {
    const merchantId = newId("merchant");
    const { first, second } = news(merchantId);
    await notifier.consume([first]);
    await register(notifier, merchantId);
    await notifier.consume([second]);
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });
});
