import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attemptsMax, horizonMs } from "../domain/schedule.ts";
import { sweepExpired } from "../store/retention.ts";
import { leaseMs } from "../store/work-store.ts";
import {
  acknowledged,
  operation,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

let notifier: TestNotifier;
let others: TestNotifier[];

beforeEach(async () => {
  notifier = await startTestNotifier();
  others = [];
  return async () => {
    await Promise.all([notifier, ...others].map((each) => each.close()));
  };
});

afterEach(async () => {
  await notifier.database.db.dropDatabase().catch(() => undefined);
});

const secondProcess = async (place: string = randomUUID()): Promise<TestNotifier> => {
  const other = await startTestNotifier({ beside: notifier, place });
  others.push(other);
  return other;
};
const onlyDelivery = async (merchantId: string) => {
  const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
  expect(deliveries).toHaveLength(1);
  const deliveryId = deliveries[0]!.id;
  return (await notifier.rpc.getDelivery({ merchantId, deliveryId })).delivery!;
};

describe("the 24 hours of a delivery", () => {
  it("are 15 attempts, doubling from 5 s, then it is exhausted and can be seen", async () => {
    const { world } = notifier;
    const { merchantId } = await register(notifier);
    world.answer = () => {
      notifier.advance(15_000);
      return { kind: "failed", error: "timeout" };
    };
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    while (await notifier.advanceToNext()) await notifier.work();
    const starts = world.posted.map(({ at }) => at.getTime());
    expect(starts).toHaveLength(attemptsMax);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0) - 15_000);
    const [first = 0] = gaps;
    expect(first).toBeGreaterThanOrEqual(5_000);
    expect(first).toBeLessThanOrEqual(5_100);
    for (const [index, gap] of gaps.entries()) {
      expect(Math.abs(gap - (gaps[13] ?? 0) / 2 ** (13 - index))).toBeLessThanOrEqual(1);
    }
    expect(starts.at(-1)! - starts[0]!).toBeLessThan(horizonMs);
    const delivery = await onlyDelivery(merchantId);
    expect(delivery).toMatchObject({ state: 3, attemptsCount: 15 });
    expect(delivery.nextAttemptAt).toBeUndefined();
    expect(delivery.attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: 15 }, (_none, at) => at + 1),
    );
    expect(delivery.attempts[14]).toMatchObject({ durationMs: 15_000, error: "timeout" });
    notifier.advance(horizonMs);
    await notifier.work();
    expect(world.posted).toHaveLength(attemptsMax);
    const ids = new Set(world.posted.map(({ headers }) => headers["webhook-id"]));
    const bodies = new Set(world.posted.map(({ body }) => Buffer.from(body).toString()));
    expect([ids.size, bodies.size]).toEqual([1, 1]);
  });

  it("end for good where the notifier was away until they were over", async () => {
    const { merchantId } = await register(notifier);
    notifier.world.answer = () => refusedBy(503);
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    notifier.advance(horizonMs);
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(1);
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 3, attemptsCount: 1 });
  });

  it("begin with the first attempt, not while nobody could send", async () => {
    const { merchantId } = await register(notifier);
    await notifier.consume([payoutMessage({ merchantId })]);
    notifier.advance(2 * horizonMs);
    await notifier.work();
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 2, attemptsCount: 1 });
  });

  it("go on in another process after a restart", async () => {
    const { merchantId } = await register(notifier);
    notifier.world.answer = () => refusedBy(500);
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    const other = await secondProcess();
    other.world.answer = () => acknowledged;
    await other.work();
    expect(other.world.posted).toHaveLength(1);
    await other.advanceToNext();
    await other.work();
    const delivery = await onlyDelivery(merchantId);
    expect(delivery).toMatchObject({ state: 2, attemptsCount: 2 });
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 200]);
  });
});

describe("a lease", () => {
  it("keeps others away, ends after a crash, and a late result changes nothing", async () => {
    const { world } = notifier;
    const { merchantId } = await register(notifier);
    const stalled = Promise.withResolvers<void>();
    let calls = 0;
    world.answer = async () => {
      calls += 1;
      if (calls > 1) return refusedBy(500);
      await stalled.promise;
      return acknowledged;
    };
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.dispatcher.round();
    const other = await secondProcess();
    notifier.advance(leaseMs - 1);
    await other.work();
    expect(calls).toBe(1);
    notifier.advance(1);
    await other.work();
    expect(calls).toBe(2);
    stalled.resolve();
    await notifier.dispatcher.idle();
    const delivery = await onlyDelivery(merchantId);
    expect(delivery).toMatchObject({ state: 1, attemptsCount: 1 });
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([500]);
  });

  it("ends when its process starts again, and is left alone by others that start", async () => {
    const { world } = notifier;
    const killed = await secondProcess("first:8080");
    const { merchantId } = await register(killed);
    const never = Promise.withResolvers<void>();
    world.answer = async () => {
      await never.promise;
      return acknowledged;
    };
    await killed.consume([payoutMessage({ merchantId })]);
    await killed.dispatcher.round();
    world.answer = () => acknowledged;
    await (await secondProcess("second:8080")).work();
    expect(world.posted).toHaveLength(1);
    await (await secondProcess("first:8080")).work();
    expect(world.posted).toHaveLength(2);
    never.resolve();
    await killed.dispatcher.idle();
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 2, attemptsCount: 1 });
  });

  it("is taken by one of many at once", async () => {
    const { merchantId } = await register(notifier);
    const all = [notifier, ...(await Promise.all([1, 2, 3].map(() => secondProcess())))];
    const messages = Array.from({ length: 40 }, () => payoutMessage({ merchantId }));
    await notifier.consume(messages);
    await Promise.all(all.map((each) => each.work()));
    await notifier.work();
    const sent = notifier.world.posted.map(({ headers }) => headers["webhook-id"]);
    expect(sent.sort()).toEqual(messages.map(({ id }) => id).sort());
  });
});

describe("fairness", () => {
  it("lets an endpoint that does not answer hold up nobody, and sends it 8 at a time", async () => {
    const hung = await register(notifier, undefined, "http://127.0.0.1:9/hung");
    const well = await register(notifier, undefined, "http://127.0.0.1:9/well");
    const stalled = Promise.withResolvers<void>();
    notifier.world.answer = async ({ url }) => {
      if (url.endsWith("/hung")) await stalled.promise;
      return acknowledged;
    };
    const many = Array.from({ length: 60 }, () => payoutMessage(hung));
    await notifier.consume([...many, ...Array.from({ length: 20 }, () => payoutMessage(well))]);
    const sentTo = (path: string): number =>
      notifier.world.posted.filter(({ url }) => url.endsWith(path)).length;
    await expect
      .poll(async () => {
        await notifier.dispatcher.round();
        return sentTo("/well");
      })
      .toBe(20);
    expect(sentTo("/hung")).toBe(8);
    stalled.resolve();
    await notifier.work();
    expect(sentTo("/hung")).toBe(60);
  });
});

describe("deleting an endpoint", () => {
  it("cancels what is pending; nothing more is sent, nothing under way is written", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const under = Promise.withResolvers<void>();
    notifier.world.answer = async () => {
      await under.promise;
      return acknowledged;
    };
    await notifier.consume(Array.from({ length: 12 }, () => payoutMessage({ merchantId })));
    await notifier.dispatcher.round();
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    under.resolve();
    await notifier.work();
    notifier.advance(leaseMs);
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(8);
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
    expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => 4));
  });

  it("cancels also what was fanned out while it was deleted", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const message = payoutMessage({ merchantId });
    await notifier.consume([message]);
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    await notifier.deliveries.collection.deleteMany({});
    await notifier.consume([message]);
    await notifier.work();
    expect(notifier.world.posted).toEqual([]);
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 4, attemptsCount: 0 });
  });
});

describe("retention", () => {
  it("deletes deliveries after 30 days, events after 90, not to be made again", async () => {
    const { merchantId } = await register(notifier);
    const message = payoutMessage({ merchantId });
    await notifier.consume([message]);
    await notifier.work();
    const counts = async () => {
      while (await sweepExpired(notifier, notifier.world.now));
      return Promise.all([
        notifier.deliveries.collection.countDocuments(),
        notifier.events.collection.countDocuments(),
      ]);
    };
    const day = 86_400_000;
    notifier.advance(30 * day - 1);
    expect(await counts()).toEqual([1, 1]);
    notifier.advance(1);
    expect(await counts()).toEqual([0, 1]);
    await notifier.consume([message]);
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(1);
    notifier.advance(60 * day);
    expect(await counts()).toEqual([0, 0]);
  });
});
