import { enumName } from "@disburse/chassis/enum-names.ts";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { beforeEach, describe, expect, it } from "vitest";
import {
  acknowledged,
  notFound,
  operation,
  payoutMessage,
  refusal,
  refusedBy,
  register,
  testNotifierOfFile,
  used,
} from "../test-notifier.ts";

const notifier = await testNotifierOfFile();
const { rpc, sandbox, world } = notifier;
const unreachable = (is: string, needed: string) =>
  `STATE_NOT_REACHABLE The delivery is ${is}. It must be ${needed}.`;
const dayMs = 86_400_000;

beforeEach(() => {
  world.answer = () => acknowledged;
  world.posted = [];
});

/** A delivery that its endpoint refused once. */
async function refusedOnce() {
  const { merchantId, endpointId } = await register(notifier);
  world.answer = () => refusedBy(500);
  await notifier.consume([payoutMessage({ merchantId })]);
  await notifier.work();
  const [refused] = (await rpc.listDeliveries({ merchantId, limit: 1 })).deliveries;
  expect(refused).toMatchObject({ state: DeliveryState.PENDING, attemptsCount: 1 });
  return { merchantId, endpointId, deliveryId: refused?.id ?? "" };
}

const stateOf = async (its: { merchantId: string; deliveryId: string }) => {
  const { delivery } = await rpc.getDelivery(its);
  return [delivery && enumName(DeliveryState, delivery.state), delivery?.attemptsCount];
};

describe("a pending delivery", () => {
  it("is attempted now, and by its schedule after that", async () => {
    const its = await refusedOnce();
    await sandbox.retryDeliveryNow({ mutation: operation(), ...its });
    await notifier.work();
    expect(await stateOf(its)).toEqual(["pending", 2]);
    world.answer = () => acknowledged;
    await sandbox.retryDeliveryNow({ mutation: operation(), ...its });
    await notifier.work();
    expect(await stateOf(its)).toEqual(["delivered", 3]);
  });

  it("is exhausted without a further attempt when its 24 hours are let pass", async () => {
    const its = await refusedOnce();
    await sandbox.lapseDelivery({ mutation: operation(), ...its });
    await notifier.work();
    expect(await stateOf(its)).toEqual(["exhausted", 1]);
    notifier.advance(dayMs);
    await notifier.work();
    expect(world.posted.filter(({ url }) => url !== "")).toHaveLength(1);
    const again = await rpc.redeliver({ mutation: operation(), ...its });
    expect(again.delivery).toMatchObject({ replay: 1, state: DeliveryState.PENDING });
  });

  it("that has ended stays as it is", async () => {
    const its = await refusedOnce();
    world.answer = () => acknowledged;
    notifier.advance(10_000);
    await notifier.work();
    const mutation = operation();
    expect(await refusal(sandbox.retryDeliveryNow({ mutation, ...its }))).toBe(
      unreachable("delivered", "pending"),
    );
    expect(await refusal(sandbox.lapseDelivery({ mutation, ...its }))).toBe(
      unreachable("delivered", "pending after an attempt"),
    );
    expect(await stateOf(its)).toEqual(["delivered", 2]);
  });

  it("of another merchant is not there", async () => {
    const { deliveryId } = await refusedOnce();
    const foreign = { mutation: operation(), merchantId: "mer_other", deliveryId };
    expect(await refusal(sandbox.retryDeliveryNow(foreign))).toBe(notFound);
    expect(await refusal(sandbox.lapseDelivery(foreign))).toBe(notFound);
  });
});

describe("a merchant's sandbox event", () => {
  const exampleJson = '{"id":"po_1","status":"succeeded","merchant_id":"x","source_amount":10.00}';
  const example = { transactionType: "payout_session", exampleJson };

  it("goes signed to the one endpoint, and is marked as a test", async () => {
    const { merchantId, endpointId } = await register(notifier);
    await register(notifier, merchantId);
    const request = { mutation: operation(), merchantId, endpointId, ...example };
    const chosen = { ...request, status: "failed", data: { source_amount: "12.50" } };
    const { delivery } = await sandbox.sendSandboxEvent(chosen);
    expect(delivery).toMatchObject({ test: true, status: "failed", transactionId: "po_1" });
    await notifier.work();
    expect(world.posted).toHaveLength(1);
    const [{ body, headers } = { body: new Uint8Array(), headers: {} }] = world.posted;
    expect(new TextDecoder().decode(body)).toBe(
      `{"transaction_type":"payout_session","transaction_id":"po_1","data":{"id":"po_1","status":"failed","merchant_id":"${merchantId}","source_amount":12.50}}`,
    );
    expect(Object.keys(headers)).toContain("webhook-signature");
    const { deliveries } = await rpc.listDeliveries({ merchantId, limit: 10 });
    expect(deliveries.map(({ test, state }) => [test, enumName(DeliveryState, state)])).toEqual([
      [true, "delivered"],
    ]);
    const again = await sandbox.sendSandboxEvent(chosen);
    expect(again.delivery?.id).toBe(delivery?.id);
    expect(await refusal(sandbox.sendSandboxEvent({ ...chosen, status: "initiated" }))).toBe(used);
  });

  it("is not in the feed, and holds no event of its transaction", async () => {
    const { merchantId, endpointId } = await register(notifier);
    world.answer = () => refusedBy(500);
    const payout = payoutMessage({ merchantId });
    const { payoutId: transactionId } = payout;
    const request = { merchantId, endpointId, ...example, transactionId };
    await sandbox.sendSandboxEvent({ mutation: operation(), ...request });
    await notifier.work();
    world.answer = () => acknowledged;
    await notifier.consume([payout]);
    await notifier.work();
    const { deliveries } = await rpc.listDeliveries({ merchantId, transactionId, limit: 10 });
    const states = deliveries.map(({ test, state }) => `${test} ${enumName(DeliveryState, state)}`);
    expect(states.toSorted()).toEqual(["false delivered", "true pending"]);
    const { events } = await rpc.listEvents({ merchantId });
    expect(events).toHaveLength(1);
    const deliveryId = deliveries.find(({ test }) => test)?.id ?? "";
    // A pending delivery is sent at once, and an ended one again.
    for (const [replay, state] of [
      [0, DeliveryState.PENDING],
      [1, DeliveryState.PENDING],
    ]) {
      const again = await rpc.redeliver({ mutation: operation(), merchantId, deliveryId });
      expect(again.delivery).toMatchObject({ test: true, replay, state });
      await notifier.work();
    }
  });

  it.each([
    [{ transactionType: "webhook_test" }, /^INVALID_REQUEST transaction_type: must be one of /],
    [{ exampleJson: "[]" }, /^INVALID_REQUEST example_json: /],
    [{ transactionType: "payment_session" }, /^INVALID_REQUEST transaction_id: must not begin/],
    [{ transactionType: "payment_session", transactionId: "ps_1" }, /^INVALID_REQUEST data_json: /],
    [{ endpointId: "whe_none" }, /^RECORD_NOT_FOUND /],
  ])("with %j is refused", async (change, expected) => {
    const its = await register(notifier);
    const request = { mutation: operation(), ...its, ...example, ...change };
    expect(await refusal(sandbox.sendSandboxEvent(request))).toMatch(expected);
  });
});
