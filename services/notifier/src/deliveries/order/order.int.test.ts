import { newId } from "@disburse/kernel/id.ts";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { circuitPauseMs } from "../../endpoints/rules/health.ts";
import {
  acknowledged,
  operation,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../../test-notifier.ts";

let notifier: TestNotifier;

beforeEach(async () => {
  notifier = await startTestNotifier();
  return notifier.drop;
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

  it("costs no wait after a crash between settlement and release", async () => {
    const { merchantId } = await register(notifier);
    const { first, second } = news(merchantId);
    await notifier.consume([first, second]);
    const settled = { state: "delivered", due_at: null } as const;
    await notifier.deliveries.collection.updateOne({ event_id: first.id }, { $set: settled });
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });

  it("is given up after 30 s", async () => {
    const { merchantId } = await register(notifier);
    await notifier.consume([news(merchantId).second]);
    notifier.advance(30_000);
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });

  it("is given up after 3 attempts of the previous one", async () => {
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

  it("does not wait for an event older than the endpoint", async () => {
    const merchantId = newId("merchant");
    const { first, second } = news(merchantId);
    await notifier.consume([first]);
    await register(notifier, merchantId);
    await notifier.consume([second]);
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });

  it("needs no query after an event that has ended, or that goes elsewhere", async () => {
    const merchantId = newId("merchant");
    const { first, second, third } = news(merchantId);
    await notifier.consume([first]);
    await register(notifier, merchantId);
    const find = vi.spyOn(notifier.deliveries.collection, "find");
    for (const event of [second, third]) {
      await notifier.consume([event]);
      await notifier.dispatcher.idle();
      await notifier.work();
    }
    expect(sent()).toEqual(["succeeded", "failed"]);
    expect(find).toHaveBeenCalledWith({ line: expect.anything(), held: true }, expect.anything());
    expect(find).not.toHaveBeenCalledWith(
      { line: expect.anything(), replay: 0 },
      expect.anything(),
    );
  });

  it("needs a query after an attempt whose settlement had no effect", async () => {
    const { merchantId } = await register(notifier);
    const { first, second } = news(merchantId);
    await notifier.consume([first]);
    const { collection } = notifier.deliveries;
    notifier.world.answer = async () => {
      await collection.updateOne({ event_id: first.id }, { $set: { "lease.token": "another" } });
      return acknowledged;
    };
    await notifier.work();
    await notifier.consume([second]);
    await notifier.work();
    expect(sent()).toEqual(["initiated"]);
  });

  it("is not kept for an endpoint without order", async () => {
    const registered = await registerOrdered("none");
    await notifier.consume([news(registered.merchantId).second]);
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
  });

  it("may be strict: the next event waits until the previous one has ended", async () => {
    const { merchantId } = await registerOrdered("strict");
    notifier.world.answer = (call) =>
      statusOf(call) === "initiated" ? refusedBy(500) : acknowledged;
    const { first, second } = news(merchantId);
    await notifier.consume([second, first]);
    await notifier.work();
    while (await notifier.advanceToNext()) {
      // The minimum wait while a circuit is open.
      notifier.advance(circuitPauseMs);
      await notifier.work();
    }
    expect(sent()).toEqual([...Array.from({ length: 15 }, () => "initiated"), "succeeded"]);
  });

  it("rechecks strictly held deliveries that were not released", async () => {
    const { merchantId } = await registerOrdered("strict");
    const { first, second } = news(merchantId);
    await notifier.work();
    await notifier.consume([second]);
    // Otherwise the poll after the insert could still see the predecessor and wake the second.
    await notifier.dispatcher.idle();
    const { collection } = notifier.deliveries;
    const { recheck_at: _none, ...waiting } = (await collection.findOne({ sequence: 2 }))!;
    const ended = { state: "delivered", due_at: null, held: false } as const;
    const before = { _id: "whd_first", event_id: first.id, sequence: 1 };
    await collection.insertOne({ ...waiting, ...ended, ...before });
    await notifier.work();
    notifier.advance(29_999);
    await notifier.dispatcher.recheck();
    await notifier.work();
    expect(sent()).toEqual([]);
    notifier.advance(1);
    await notifier.dispatcher.recheck();
    await notifier.work();
    expect(sent()).toEqual(["succeeded"]);
    expect(await collection.countDocuments({ recheck_at: { $exists: true } })).toBe(0);
  });

  it("gives up in strict order on an event that never arrives, after 5 minutes or a day", async () => {
    const { merchantId } = await registerOrdered("strict");
    const later = async (ms: number) => {
      notifier.advance(ms);
      await notifier.dispatcher.recheck();
      await notifier.work();
      return sequences();
    };
    await notifier.consume([news(merchantId).third]);
    await refund(merchantId, 7n);
    expect(await later(299_999)).toEqual([]);
    expect(await later(1)).toEqual(["7"]);
    expect(await later(86_099_999)).toEqual(["7"]);
    expect(await later(1)).toEqual(["7", "3"]);
  });

  it("is given up by the recheck, not by a new owner's release", async () => {
    const { merchantId } = await registerOrdered("strict");
    await notifier.consume([news(merchantId).third]);
    notifier.advance(86_400_001);
    await notifier.work();
    expect(sequences()).toEqual([]);
    await notifier.dispatcher.recheck();
    await notifier.work();
    expect(sequences()).toEqual(["3"]);
  });

  it("is kept in strict order after a crash before a process saw both events", async () => {
    const registered = await registerOrdered("strict");
    await notifier.work();
    await notifier.rpc.pauseEndpoint({ mutation: operation(), ...registered });
    await refund(registered.merchantId, 2n);
    const { collection } = notifier.deliveries;
    const second = await collection.findOne({ sequence: 2 });
    await refund(registered.merchantId, 1n);
    // Reverts the change that the second write made.
    if (second !== null) await collection.replaceOne({ _id: second._id }, second);
    notifier.world.answer = () => refusedBy(500);
    notifier.advance(600_000);
    await notifier.rpc.resumeEndpoint({ mutation: operation(), ...registered });
    await notifier.work();
    await notifier.dispatcher.recheck();
    await notifier.work();
    expect(sequences()).toEqual(["1"]);
  });

  it("waits in its mode for a late event, also if numbers may have gaps", async () => {
    const strict = await registerOrdered("strict");
    const bounded = await register(notifier);
    await notifier.work();
    notifier.world.answer = () => refusedBy(500);
    for (const { merchantId } of [strict, bounded]) await refund(merchantId, 2n);
    notifier.advance(3_000);
    for (const { merchantId } of [strict, bounded]) await refund(merchantId, 1n);
    await notifier.work();
    notifier.advance(2_500);
    await notifier.work();
    expect(sequences()).toEqual(["1", "1"]);
    await notifier.rpc.pauseEndpoint({ mutation: operation(), ...strict });
    notifier.advance(600_000);
    await notifier.rpc.resumeEndpoint({ mutation: operation(), ...strict });
    await notifier.work();
    expect(sequences().toSorted()).toEqual(["1", "1", "1", "1", "2"]);
  });

  const sequences = () => notifier.world.posted.map(({ headers }) => headers["webhook-sequence"]);

  const refund = async (merchantId: string, sequence: bigint) => {
    const data = { id: "ref_1", status: `step_${sequence}` };
    const of = { merchantId, transactionType: "refund", transactionId: data.id, sequence };
    const fields = { eventId: `${merchantId}_${sequence}`, status: data.status };
    const event = { ...of, ...fields, dataJson: JSON.stringify(data) };
    await notifier.rpc.publishEvent({ mutation: operation(), event });
  };

  const registerOrdered = async (order: string) => {
    const { merchantId, endpointId } = await register(notifier);
    await notifier.rpc.updateEndpoint({ mutation: operation(), merchantId, endpointId, order });
    return { merchantId, endpointId };
  };
});
