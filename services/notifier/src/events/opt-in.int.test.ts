import { create, toBinary } from "@bufbuild/protobuf";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import {
  type OptInEvent,
  OptInEventSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { hookUrl, operation, register, testNotifierOfFile } from "../test-notifier.ts";

const notifier = await testNotifierOfFile();
const screening = "beneficiary.screening_changed";

/** Registers a new merchant's endpoint with these subscriptions. */
async function subscribed(eventTypes: string[], order = "bounded") {
  const merchantId = newId("merchant");
  const endpoint = { mutation: operation(), merchantId, url: hookUrl, eventTypes, order };
  await notifier.rpc.createEndpoint(endpoint);
  return merchantId;
}

type Change = Partial<Omit<OptInEvent, "$typeName" | "$unknown">>;

/** A screening change of a beneficiary, published by its service. */
function message(merchantId: string, change: Change = {}, publisher = "beneficiary"): BusMessage {
  const { transactionId = newId("beneficiary"), sequence = 1n } = change;
  const data = { id: transactionId, status: "blocked", merchant_id: merchantId };
  const event = create(OptInEventSchema, {
    ...{ eventId: `${newId("event")}`, merchantId, transactionType: screening, transactionId },
    ...{ status: "blocked", sequence, dataJson: JSON.stringify(data), ...change },
  });
  const body = toBinary(OptInEventSchema, event);
  return { id: event.eventId, key: "opt_in.screening_changed", body, publisher };
}

const stored = (merchantId: string) =>
  notifier.events.collection.countDocuments({ merchant_id: merchantId });
const sentTo = (merchantId: string) =>
  notifier.world.posted.filter(({ body }) => Buffer.from(body).includes(merchantId));
const feedOf = async (merchantId: string) => (await notifier.rpc.listEvents({ merchantId })).events;

describe("an opt-in event", () => {
  it("goes to endpoints that name its type, and to the feed", async () => {
    const merchantId = await subscribed(["payout_session", screening]);
    const event = message(merchantId);
    expect(await notifier.consume([event])).toEqual(["stored"]);
    await notifier.work();
    expect(sentTo(merchantId).map(({ headers }) => headers["webhook-id"])).toEqual([event.id]);
    expect(await feedOf(merchantId)).toMatchObject([
      { eventId: event.id, transactionType: screening, status: "blocked", sequence: 1n },
    ]);
    expect(await notifier.consume([event, event])).toEqual(["stored", "stored"]);
    await notifier.work();
    expect(sentTo(merchantId)).toHaveLength(1);
  });

  it.each([
    ["every event", ["*"]],
    ["another opt-in type", ["account.credited"]],
    ["another type", ["payout_session"]],
  ])("is neither sent nor stored if an endpoint gets %s", async (_what, eventTypes) => {
    const merchantId = await subscribed(eventTypes);
    expect(await notifier.consume([message(merchantId)])).toEqual(["stored"]);
    await notifier.work();
    expect([sentTo(merchantId), await stored(merchantId)]).toEqual([[], 0]);
    expect(await feedOf(merchantId)).toEqual([]);
  });

  it("is left out of a batch without the others", async () => {
    const [chosen, everything] = [await subscribed([screening]), await subscribed(["*"])];
    await notifier.consume([message(everything), message(chosen), message(everything)]);
    expect([await stored(chosen), await stored(everything)]).toEqual([1, 0]);
  });

  it.each(["bounded", "strict"])(
    "waits in %s order for none that was not stored",
    async (order) => {
      const merchantId = await subscribed([screening], order);
      const transactionId = newId("beneficiary");
      await notifier.consume([message(merchantId, { transactionId, sequence: 7n })]);
      await notifier.work();
      expect(sentTo(merchantId)).toHaveLength(1);
    },
  );

  it.each<[string, Change, string]>([
    ["is of a type that anyone gets", { transactionType: "refund" }, "beneficiary"],
    ["is of another service's type", { transactionType: "account.credited" }, "beneficiary"],
    ["is another service's", {}, "payout"],
    ["names another merchant", { dataJson: '{"merchant_id":"mer_2"}' }, "beneficiary"],
    ["names another status", { status: "cleared" }, "beneficiary"],
  ])("is dead-lettered if it %s", async (_what, change, publisher) => {
    const merchantId = await subscribed(["*", screening, "account.credited", "refund"]);
    expect(await notifier.consume([message(merchantId, change, publisher)])).toEqual(["dead"]);
    expect(await stored(merchantId)).toBe(0);
  });
});

it("an endpoint subscribes to everything else by default", async () => {
  const { merchantId } = await register(notifier);
  await notifier.consume([message(merchantId)]);
  expect(await stored(merchantId)).toBe(0);
});
