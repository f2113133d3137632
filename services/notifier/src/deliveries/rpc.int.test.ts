import { create, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { headerMask } from "@disburse/forms/bodies/webhooks.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  acknowledged,
  hookUrl,
  notFound,
  operation,
  payoutMessage,
  refusal,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
  used,
} from "../test-notifier.ts";
import { sessionData } from "../test-session.ts";

let notifier: TestNotifier;
let live: TestNotifier;

beforeAll(async () => {
  notifier = await startTestNotifier();
  live = await startTestNotifier({ policy: "public" });
});

afterAll(async () => {
  for (const each of [notifier, live]) {
    await each.drop();
  }
});

const url = hookUrl;

describe("deliveries", () => {
  it("are listed newest first, by page and filter, and read with their attempts", async () => {
    const { rpc, world } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    const other = await register(notifier, merchantId);
    world.answer = ({ url: to }) => (to === url ? acknowledged : refusedBy(500));
    const payouts: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const message = payoutMessage({ merchantId });
      payouts.push(message.payoutId);
      await notifier.consume([message]);
      if (count < 3) notifier.advance(1_000);
    }
    await rpc.deleteEndpoint({ mutation: operation(), ...other });
    await notifier.work();

    const all = (await rpc.listDeliveries({ merchantId, limit: 100 })).deliveries;
    expect(all).toHaveLength(10);
    const paged: typeof all = [];
    let cursor = "";
    do {
      const page = await rpc.listDeliveries({ merchantId, limit: 3, cursor });
      expect(page).toMatchObject({ totalCount: 10n, totalCountCapped: false });
      paged.push(...page.deliveries);
      cursor = page.nextCursor;
    } while (cursor !== "");
    expect(paged).toEqual(all);
    const times = all.map(({ createdAt }) => Number(createdAt?.seconds));
    expect(times).toEqual(times.toSorted((a, b) => b - a));

    const count = async (filter: object) => {
      const { deliveries, totalCount } = await rpc.listDeliveries({ merchantId, ...filter });
      expect(totalCount).toBe(BigInt(deliveries.length));
      return deliveries.length;
    };
    const { DELIVERED, CANCELLED, EXHAUSTED } = DeliveryState;
    expect(await count({ endpointId })).toBe(5);
    expect(await count({ transactionId: payouts[2] })).toBe(2);
    expect(await count({ state: DELIVERED })).toBe(5);
    expect(await count({ state: EXHAUSTED })).toBe(0);
    expect(await count({ endpointId, state: CANCELLED })).toBe(0);
    expect(await count({ transactionId: payouts[2], state: CANCELLED })).toBe(1);
    expect(await count({ merchantId: newId("merchant") })).toBe(0);

    const { delivery } = await rpc.getDelivery({ merchantId, deliveryId: all[0]!.id });
    expect(delivery).toMatchObject({ transactionType: "payout_session", sequence: 1n, replay: 0 });
    const otherMerchants = { merchantId: newId("merchant"), deliveryId: all[0]!.id };
    expect(await refusal(rpc.getDelivery(otherMerchants))).toBe(notFound);
    expect(await refusal(rpc.redeliver({ ...otherMerchants, mutation: operation() }))).toBe(
      notFound,
    );
    for (const limit of [-1, 101]) {
      expect(await refusal(rpc.listDeliveries({ merchantId, limit }))).toBe(
        "INVALID_REQUEST limit: must be between 1 and 100",
      );
    }
    expect(await refusal(rpc.listDeliveries({ merchantId, cursor: "x" }))).toBe(
      "INVALID_REQUEST cursor: must be one that a list returned",
    );
  });

  it("can be redelivered under an operation id that another merchant has used", async () => {
    const { rpc, world } = notifier;
    world.answer = () => acknowledged;
    const mutation = operation();
    for (const _each of [1, 2]) {
      const { merchantId } = await register(notifier);
      await notifier.consume([payoutMessage({ merchantId })]);
      await notifier.work();
      const [first] = (await rpc.listDeliveries({ merchantId })).deliveries;
      const redelivered = await rpc.redeliver({ mutation, merchantId, deliveryId: first!.id });
      expect(redelivered.delivery).toMatchObject({ replay: 1, eventId: first!.eventId });
    }
  });

  it("are redelivered as new ones under the same webhook-id, once per operation", async () => {
    const { rpc, world } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    world.answer = () => acknowledged;
    const message = payoutMessage({ merchantId });
    await notifier.consume([message]);
    await notifier.work();
    const [first] = (await rpc.listDeliveries({ merchantId })).deliveries;
    const request = { mutation: operation(), merchantId, deliveryId: first!.id };
    const redelivered = await Promise.all([1, 2, 3].map(() => rpc.redeliver(request)));
    for (const each of redelivered) expect(each.delivery?.id).toBe(redelivered[0]?.delivery?.id);
    expect(redelivered[0]?.delivery).toMatchObject({ replay: 1, eventId: message.id });
    const more = [1, 2].map(() => rpc.redeliver({ ...request, mutation: operation() }));
    const replays = (await Promise.all(more)).map(({ delivery }) => delivery?.replay);
    expect(replays.toSorted()).toEqual([2, 3]);
    world.posted.length = 0;
    await notifier.work();
    expect(world.posted.map(({ headers }) => headers["webhook-id"])).toEqual([
      ...[message.id, message.id, message.id],
    ]);
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    const { deliveries } = await rpc.listDeliveries({ merchantId });
    const other = deliveries.find(({ eventId }) => eventId !== message.id);
    expect(await refusal(rpc.redeliver({ ...request, deliveryId: other!.id }))).toBe(used);
    await rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    expect((await rpc.redeliver(request)).delivery?.id).toBe(redelivered[0]?.delivery?.id);
    expect(await refusal(rpc.redeliver({ ...request, mutation: operation() }))).toBe(notFound);
  });
});

describe("test events", () => {
  it("go to the one endpoint, signed like any other, once per operation", async () => {
    const { rpc, world } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    const second = await register(notifier, merchantId);
    const request = { mutation: operation(), merchantId, endpointId };
    // It is sent at once.
    world.posted.length = 0;
    const sent = await Promise.all([1, 2, 3].map(() => rpc.sendTestEvent(request)));
    for (const each of sent) expect(each.delivery?.id).toBe(sent[0]?.delivery?.id);
    const other = { ...request, endpointId: second.endpointId };
    expect(await refusal(rpc.sendTestEvent(other))).toBe(used);
    await notifier.work();
    expect(world.posted).toHaveLength(1);
    expect(JSON.parse(Buffer.from(world.posted[0]!.body).toString())).toMatchObject({
      transaction_type: "webhook_test",
      data: { endpoint_id: endpointId, status: "test" },
    });
    const [delivery] = (await rpc.listDeliveries({ merchantId })).deliveries;
    expect(delivery).toMatchObject({ state: DeliveryState.DELIVERED, endpointId });
  });

  it("of two merchants under one operation id are two events, neither shown to the other", async () => {
    const { rpc, events } = notifier;
    const mutation = operation();
    const sent = await Promise.all([register(notifier), register(notifier)]);
    for (const { merchantId, endpointId } of sent) {
      const { delivery } = await rpc.sendTestEvent({ mutation, merchantId, endpointId });
      expect(delivery).toMatchObject({ merchantId, endpointId });
      const found = await events.findByOperation(merchantId, mutation.operationId);
      expect(found).toMatchObject({ merchant_id: merchantId, event_id: delivery?.eventId });
    }
    const stored = { operation_id: mutation.operationId };
    expect(await events.collection.countDocuments(stored)).toBe(2);
  });
});

/** Returns the number of unreadable payment sessions so far. */
async function unreadable(): Promise<number> {
  const line = /^disburse_webhook_events_unreadable_total\{key="payment_session".* (\d+)$/m;
  return Number(line.exec(await notifier.series())?.[1] ?? 0);
}

describe("published events", () => {
  const event = (merchantId: string, change: object = {}) =>
    create(MerchantEventSchema, {
      eventId: newId("event"),
      merchantId,
      transactionType: "payment_session",
      transactionId: "ps_1",
      status: "initiated",
      sequence: 1n,
      dataJson: sessionData({ merchant_id: JSON.stringify(merchantId), channel: '"web"' }),
      ...change,
    });

  it("from the broker are dead-lettered and counted if a required field is missing", async () => {
    const bare = { ...event("mer_1"), dataJson: '{"id":"ps_1","secret":"x"}' };
    const body = toBinary(MerchantEventSchema, bare);
    const before = await unreadable();
    const key = "payment_session.updated";
    expect(await notifier.consume([{ id: "bare", key, body }])).toEqual(["dead"]);
    expect(await unreadable()).toBe(before + 1);
  });

  it("are stored before the response, also without an endpoint, and sent once", async () => {
    const { rpc, world, events } = notifier;
    const bare = event(newId("merchant"));
    await rpc.publishEvent({ mutation: operation(), event: bare });
    expect(await events.collection.countDocuments({ event_id: bare.eventId })).toBe(1);
    const { merchantId } = await register(notifier);
    const sent = event(merchantId);
    const mutation = operation();
    world.posted.length = 0;
    await rpc.publishEvent({ mutation, event: sent });
    await rpc.publishEvent({ mutation, event: sent });
    const data = JSON.stringify({ ...JSON.parse(sent.dataJson), reference_id: "another" });
    const changed = { ...sent, dataJson: data };
    expect(await refusal(rpc.publishEvent({ mutation, event: changed }))).toBe(used);
    await rpc.publishEvent({
      mutation: operation(),
      event: {
        ...sent,
        transactionType: "refund",
        transactionId: "rf_1",
        status: "x",
        dataJson: "{}",
      },
    });
    await notifier.work();
    expect(world.posted.map(({ body }) => Buffer.from(body).toString())).toEqual([
      `{"transaction_type":"payment_session","transaction_id":"ps_1","data":${sent.dataJson}}`,
    ]);
    expect(await refusal(rpc.publishEvent({ mutation, event: event(merchantId) }))).toBe(used);
  });

  it("of different merchants may have the same id", async () => {
    const first = event(newId("merchant"));
    const second = event(newId("merchant"), { eventId: first.eventId });
    for (const each of [first, second]) {
      await notifier.rpc.publishEvent({ mutation: operation(), event: each });
    }
    const { collection } = notifier.events;
    expect(await collection.countDocuments({ event_id: first.eventId })).toBe(2);
  });

  it("are refused whole when a field is malformed", async () => {
    const { rpc, events } = notifier;
    const bad = event("mer_1", { eventId: "bad id", sequence: 0n, dataJson: "[]" });
    expect(await refusal(rpc.publishEvent({ mutation: operation(), event: bad }))).toBe(
      "INVALID_REQUEST event_id: must be 1 to 128 printable characters; " +
        "sequence: must be a whole number from 1; data_json: must be a JSON object",
    );
    expect(await refusal(rpc.publishEvent({ mutation: operation() }))).toBe(
      "INVALID_REQUEST event: is required",
    );
    expect(await events.collection.countDocuments({ merchant_id: "mer_1" })).toBe(0);
  });

  it("that are pending are sent at once, once per operation, and keep their schedule", async () => {
    const { rpc, world } = notifier;
    const { merchantId } = await register(notifier);
    world.answer = () => refusedBy(500);
    const message = payoutMessage({ merchantId });
    await notifier.consume([message]);
    await notifier.work();
    notifier.advance(6_000);
    await notifier.work();
    const [waiting] = (await rpc.listDeliveries({ merchantId })).deliveries;
    const read = async () =>
      (await rpc.getDelivery({ merchantId, deliveryId: waiting!.id })).delivery;
    const waitMs = async () => {
      const { nextAttemptAt: next, attempts = [] } = (await read()) ?? {};
      const last = attempts.at(-1)?.startedAt;
      return next && last ? timestampMs(next) - timestampMs(last) : 0;
    };
    expect(await read()).toMatchObject({ state: DeliveryState.PENDING, attemptsCount: 2 });
    const wait = await waitMs();
    const request = { mutation: operation(), merchantId, deliveryId: waiting!.id };
    const forwarded = await Promise.all([1, 2, 3].map(() => rpc.redeliver(request)));
    for (const { delivery } of forwarded) expect(delivery).toMatchObject({ id: waiting!.id });
    world.posted.length = 0;
    await notifier.work();
    expect(world.posted.map(({ headers }) => headers["webhook-id"])).toEqual([message.id]);
    expect(await rpc.listDeliveries({ merchantId })).toMatchObject({ totalCount: 1n });
    expect(await read()).toMatchObject({ state: DeliveryState.PENDING, attemptsCount: 3 });
    expect(await waitMs()).toBe(wait);
    // A repeat of the operation changes nothing, even after its attempt.
    await rpc.redeliver(request);
    await notifier.work();
    expect(await read()).toMatchObject({ attemptsCount: 3 });
    world.answer = () => acknowledged;
    await rpc.redeliver({ ...request, mutation: operation() });
    await notifier.work();
    expect(await read()).toMatchObject({ state: DeliveryState.DELIVERED, attemptsCount: 4 });
    expect((await rpc.redeliver(request)).delivery?.id).toBe(waiting!.id);
    expect(await rpc.listDeliveries({ merchantId })).toMatchObject({ totalCount: 1n });
  });

  it("that wait for an earlier event keep their place when they are redelivered", async () => {
    const { rpc, world, deliveries } = notifier;
    const { merchantId } = await register(notifier);
    world.answer = () => refusedBy(500);
    const first = payoutMessage({ merchantId });
    const { payoutId } = first;
    const second = payoutMessage({ merchantId, payoutId, status: "succeeded", version: 2 });
    await notifier.consume([first, second]);
    await notifier.work();
    const ofSecond = { merchant_id: merchantId, event_id: second.id };
    const held = await deliveries.collection.findOne(ofSecond);
    expect(held).toMatchObject({ state: "pending", held: true });
    const request = { mutation: operation(), merchantId, deliveryId: held!._id };
    const { delivery } = await rpc.redeliver(request);
    expect(delivery).toMatchObject({ id: held!._id, state: DeliveryState.PENDING, replay: 0 });
    expect(await deliveries.collection.find(ofSecond).toArray()).toEqual([held]);
    world.posted.length = 0;
    world.answer = () => acknowledged;
    await notifier.advanceToNext();
    await notifier.work();
    expect(world.posted.map(({ headers }) => headers["webhook-id"])).toEqual([first.id, second.id]);
  });

  it("show the latest attempt's request as it was signed, with masked headers", async () => {
    const { rpc, world } = notifier;
    const { merchantId, endpointId } = await register(notifier);
    const headers = { "x-tenant": "secret-tenant" };
    await rpc.updateEndpoint({ mutation: operation(), merchantId, endpointId, headers });
    world.answer = () => acknowledged;
    world.posted.length = 0;
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    const [sent] = world.posted;
    const [listed] = (await rpc.listDeliveries({ merchantId })).deliveries;
    const { delivery } = await rpc.getDelivery({ merchantId, deliveryId: listed!.id });
    expect(sent?.headers["x-tenant"]).toBe("secret-tenant");
    expect(delivery?.request).toMatchObject({
      url: sent?.url,
      headers: { ...sent?.headers, "x-tenant": headerMask },
      body: Buffer.from(sent?.body ?? []).toString(),
    });
  });
});
