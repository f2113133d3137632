import { randomUUID } from "node:crypto";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { Collection } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { shardOf } from "../endpoints/rules/shard.ts";
import {
  acknowledged,
  operation,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { deliveryLeaseMs } from "./dispatch/work-store.ts";
import { sweepExpired } from "./retention.ts";
import { attemptsMax, horizonMs } from "./rules/schedule.ts";

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
/** Lets a process see no heartbeat of the others until it takes over their shards. */
const takeoverMs = 15_000;
const untilOwner = async (process: TestNotifier): Promise<void> => {
  await process.dispatcher.poll();
  for (let ms = 0; ms < takeoverMs; ms += 5_000) {
    process.advance(5_000);
    await process.dispatcher.poll();
  }
};
const onlyDelivery = async (merchantId: string) => {
  const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
  expect(deliveries).toHaveLength(1);
  const deliveryId = deliveries[0]!.id;
  return (await notifier.rpc.getDelivery({ merchantId, deliveryId })).delivery!;
};

/** The next insert of events and deliveries succeeds, but its response is lost. */
function loseNextInsertResponse({ database }: TestNotifier): void {
  const { client } = database.db;
  const owner = database.isBulk ? client : Collection.prototype;
  const method = database.isBulk ? "bulkWrite" : "insertMany";
  const methods = owner as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const insert = methods[method];
  vi.spyOn(methods, method).mockImplementationOnce(async function lost(this: unknown, ...args) {
    await insert?.apply(this, args);
    throw new Error("connection lost");
  });
}

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

  it("exhaust the delivery if the notifier was down until they were over", async () => {
    const { merchantId } = await register(notifier);
    notifier.world.answer = () => refusedBy(503);
    await notifier.consume([payoutMessage({ merchantId })]);
    await notifier.work();
    notifier.advance(horizonMs);
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(1);
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 3, attemptsCount: 1 });
  });

  it("begin with the first attempt, not while no process ran", async () => {
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
    await notifier.dispatcher.leave();
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
  it("excludes other workers, expires after a crash, and a late result changes nothing", async () => {
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
    await notifier.dispatcher.poll();
    await notifier.consume([payoutMessage({ merchantId })]);
    expect(calls).toBe(1);
    const other = await secondProcess();
    await untilOwner(other);
    notifier.advance(deliveryLeaseMs - takeoverMs - 1);
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

  it("ends when its process restarts, not when others start", async () => {
    const { world } = notifier;
    const killed = await secondProcess("first:8080");
    const { merchantId } = await register(killed);
    const never = Promise.withResolvers<void>();
    world.answer = async () => {
      await never.promise;
      return acknowledged;
    };
    await killed.dispatcher.poll();
    await killed.consume([payoutMessage({ merchantId })]);
    world.answer = () => acknowledged;
    const second = await secondProcess("second:8080");
    await second.work();
    expect(world.posted).toHaveLength(1);
    // The predecessor's shards are shared at once; the other process takes its part on its next
    // poll.
    await (await secondProcess("first:8080")).work();
    notifier.advance(1_000);
    await second.work();
    expect(world.posted).toHaveLength(2);
    never.resolve();
    await killed.dispatcher.idle();
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 2, attemptsCount: 1 });
  });

  it("is found again if the response of the insert was lost", async () => {
    const { merchantId } = await register(notifier);
    await notifier.work();
    loseNextInsertResponse(notifier);
    const message = payoutMessage({ merchantId });
    await expect(notifier.consume([message])).rejects.toThrow("connection lost");
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(0);
    await notifier.consume([message]);
    await notifier.dispatcher.idle();
    expect(notifier.world.posted).toHaveLength(1);
    expect(await onlyDelivery(merchantId)).toMatchObject({ state: 2, attemptsCount: 1 });
  });
});

describe("several processes", () => {
  const shares = async (...all: readonly TestNotifier[]) =>
    (await Promise.all(all.map((each) => each.dispatcher.figures()))).map(({ shards }) => shards);

  it("share the endpoints, each of which is served by one alone", async () => {
    await notifier.dispatcher.poll();
    const other = await secondProcess();
    await other.dispatcher.poll();
    expect(await shares(notifier, other)).toEqual([256, 0]);
    notifier.advance(5_000);
    for (const each of [notifier, other]) await each.dispatcher.poll();
    expect(await shares(notifier, other)).toEqual([128, 128]);
    const stalled = Promise.withResolvers<void>();
    notifier.world.answer = async () => {
      await stalled.promise;
      return acknowledged;
    };
    const hooks = await Promise.all(Array.from({ length: 12 }, () => register(notifier)));
    for (const each of [notifier, other]) await each.consume(hooks.map(payoutMessage));
    for (const each of [notifier, other]) {
      await each.dispatcher.poll();
      await each.dispatcher.round();
    }
    const { collection } = notifier.deliveries;
    const served = await collection.find({ lease: { $ne: null } }).toArray();
    expect(served).toHaveLength(24);
    const servers = Map.groupBy(served, ({ endpoint_id }) => endpoint_id);
    for (const each of servers.values()) {
      expect(new Set(each.map(({ lease }) => lease?.token)).size).toBe(1);
    }
    expect(new Set(served.map(({ lease }) => lease?.token)).size).toBe(2);
    stalled.resolve();
    for (const each of [notifier, other]) await each.work();
    expect(notifier.world.posted).toHaveLength(24);
  });

  it("take over from one that stopped without notice, with its saved health", async () => {
    const dead = await register(notifier);
    notifier.world.answer = () => refusedBy(500);
    await notifier.dispatcher.poll();
    await notifier.consume(Array.from({ length: 12 }, () => payoutMessage(dead)));
    await notifier.work();
    notifier.advance(10_000);
    await notifier.work();
    await notifier.dispatcher.saveHealth();
    const other = await secondProcess();
    await untilOwner(other);
    const { shards, circuits } = await other.dispatcher.figures();
    expect({ shards, circuits }).toEqual({ shards: 256, circuits: { open: 1, closed: 0 } });
    // The process returns and starts like any other.
    notifier.advance(5_000);
    await notifier.dispatcher.poll();
    expect(await shares(notifier)).toEqual([0]);
    notifier.advance(5_000);
    for (const each of [other, notifier]) await each.dispatcher.poll();
    expect(await shares(notifier, other)).toEqual([128, 128]);
  });

  it("keep the delivery and failure times that another one saved", async () => {
    const hook = await register(notifier);
    await notifier.consume([payoutMessage(hook)]);
    await notifier.work();
    await notifier.dispatcher.leave();
    const other = await secondProcess();
    other.world.answer = () => refusedBy(500);
    await other.consume([payoutMessage(hook)]);
    await other.work();
    await other.dispatcher.saveHealth();
    const { endpoint } = await other.rpc.getEndpoint(hook);
    expect(endpoint?.health?.lastFailure).toBe("500");
    expect(endpoint?.health?.lastDeliveredAt).toBeDefined();
  });

  it("hand an endpoint over when no attempt to it is in flight", async () => {
    const hung = await register(notifier);
    const stalled = Promise.withResolvers<void>();
    notifier.world.answer = async () => {
      await stalled.promise;
      return acknowledged;
    };
    const other = await secondProcess();
    const third = await secondProcess();
    await notifier.dispatcher.poll();
    await notifier.consume([payoutMessage(hung)]);
    for (const each of [other, third]) await each.dispatcher.poll();
    const shard = shardOf(hung.endpointId);
    notifier.advance(5_000);
    for (const each of [notifier, other, third]) await each.dispatcher.poll();
    const before = await shares(notifier, other, third);
    const isGoing = shard >= (before[0] ?? 0);
    expect(before.reduce((sum, count) => sum + count)).toBe(isGoing ? 255 : 256);
    stalled.resolve();
    await notifier.dispatcher.idle();
    notifier.advance(1_000);
    for (const each of [notifier, other, third]) await each.dispatcher.poll();
    const after = await shares(notifier, other, third);
    expect(after.reduce((sum, count) => sum + count)).toBe(256);
  });
});

describe("fairness", () => {
  it("delays no other endpoint for one that does not answer, and sends it 8 at a time", async () => {
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
    while (sentTo("/well") < 20) {
      await notifier.dispatcher.poll();
      await notifier.dispatcher.round();
    }
    // Part of the limit is reserved for fresh deliveries, and only they use it.
    expect(sentTo("/hung")).toBe(6);
    await notifier.consume([
      ...many.slice(0, 3),
      ...Array.from({ length: 4 }, () => payoutMessage(hung)),
    ]);
    expect(sentTo("/hung")).toBe(8);
    stalled.resolve();
    await notifier.work();
    expect(sentTo("/hung")).toBe(64);
  });

  it("starts fresh deliveries that found no slot before the backlog", async () => {
    const hook = await register(notifier);
    const stalled = Promise.withResolvers<void>();
    notifier.world.answer = async () => {
      await stalled.promise;
      return acknowledged;
    };
    await notifier.consume(Array.from({ length: 20 }, () => payoutMessage(hook)));
    await notifier.dispatcher.poll();
    // The first page reveals the endpoint's merchant.
    expect(await notifier.dispatcher.round()).toBe(2);
    expect(await notifier.dispatcher.round()).toBe(4);
    const news = Array.from({ length: 3 }, () => payoutMessage(hook));
    await notifier.consume(news);
    expect(notifier.world.posted).toHaveLength(8);
    stalled.resolve();
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(23);
    expect(notifier.world.posted[8]?.headers["webhook-id"]).toBe(news[2]?.id);
  });

  it("does not attempt a queued fresh delivery twice", async () => {
    const hook = await register(notifier);
    await notifier.work();
    const [late, ...others] = Array.from({ length: 9 }, () => payoutMessage(hook));
    const stalled = others.map(() => Promise.withResolvers<void>());
    const outcomes = [refusedBy(500), acknowledged];
    notifier.world.answer = async ({ headers }) => {
      const id = headers["webhook-id"];
      await stalled[others.findIndex((other) => other.id === id)]?.promise;
      return id === late?.id ? (outcomes.shift() ?? refusedBy(500)) : acknowledged;
    };
    const { collection } = notifier.deliveries;
    const delivered = () => collection.countDocuments({ state: "delivered" });
    await notifier.consume(others);
    await notifier.consume([late!]);
    stalled[0]?.resolve();
    const claimed = async () => {
      await notifier.dispatcher.poll();
      return notifier.dispatcher.round();
    };
    await expect.poll(claimed).toBe(1);
    await expect.poll(() => collection.countDocuments({ attempts_count: 1 })).toBe(2);
    notifier.advance(5_200);
    for (const { resolve } of stalled) resolve();
    await expect.poll(delivered).toBe(8);
    await notifier.work();
    expect(await delivered()).toBe(9);
  });

  it("attempts an open circuit one at a time, 5 s apart", async () => {
    const dead = await register(notifier);
    await notifier.work();
    notifier.world.answer = () => refusedBy(500);
    const posted = async (afterMs: number) => {
      notifier.advance(afterMs);
      await notifier.work();
      return notifier.world.posted.length;
    };
    await notifier.consume(Array.from({ length: 12 }, () => payoutMessage(dead)));
    expect(await posted(0)).toBe(12);
    // Retries were due after 5 s, so the endpoint had time to acknowledge one.
    expect(await posted(10_000)).toBe(13);
    await notifier.consume([payoutMessage(dead)]);
    expect(await posted(4_999)).toBe(13);
    expect(await posted(1)).toBe(14);
    notifier.world.answer = () => acknowledged;
    expect(await posted(4_999)).toBe(14);
    await posted(1);
    expect(await posted(30_000)).toBe(27);
    const { deliveries } = await notifier.rpc.listDeliveries({ ...dead, state: 1, limit: 100 });
    expect(deliveries).toEqual([]);
  });
});

describe("deleting an endpoint", () => {
  it("cancels pending deliveries; nothing more is sent, and attempts in flight are not written", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const under = Promise.withResolvers<void>();
    notifier.world.answer = async () => {
      await under.promise;
      return acknowledged;
    };
    await notifier.dispatcher.poll();
    await notifier.consume(Array.from({ length: 12 }, () => payoutMessage({ merchantId })));
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    under.resolve();
    await notifier.work();
    notifier.advance(deliveryLeaseMs);
    await notifier.work();
    expect(notifier.world.posted).toHaveLength(8);
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
    expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => 4));
    await notifier.dispatcher.saveHealth();
    const healths = notifier.database.db.collection("endpoint_health");
    expect(await healths.countDocuments({ circuit: { $exists: true } })).toBe(0);
  });

  it("cancels deliveries fanned out during the deletion", async () => {
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
  it("exhausts deliveries without an attempt in 90 days, and keeps them for 30 more", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const theirs = { merchantId, endpointId };
    await notifier.rpc.updateEndpoint({ ...theirs, mutation: operation(), order: "strict" });
    await notifier.rpc.pauseEndpoint({ ...theirs, mutation: operation() });
    const payoutId = newId("payout");
    const since = notifier.world.now.toISOString();
    for (const version of [1, 2]) {
      await notifier.consume([payoutMessage({ merchantId, payoutId, version })]);
    }
    const kept = async () => {
      while (await sweepExpired(notifier, notifier.world.now));
      const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
      return deliveries.map(({ state, attemptsCount }) => [state, attemptsCount]);
    };
    const [pending, exhausted] = [DeliveryState.PENDING, DeliveryState.EXHAUSTED];
    const day = 86_400_000;
    notifier.advance(90 * day - 1);
    expect(await kept()).toEqual(Array(2).fill([pending, 0]));
    notifier.advance(1);
    expect(await kept()).toEqual(Array(2).fill([exhausted, 0]));
    await notifier.rpc.resumeEndpoint({ ...theirs, mutation: operation() });
    await notifier.work();
    expect(notifier.world.posted).toEqual([]);
    const until = new Date(Date.parse(since) + day).toISOString();
    await notifier.rpc.createReplay({ ...theirs, mutation: operation(), since, until });
    await notifier.replayer.round();
    await notifier.work();
    expect(notifier.world.posted).not.toEqual([]);
    notifier.advance(30 * day);
    expect(await kept()).toEqual([]);
  });

  it("deletes deliveries after 30 days and events after 90, and makes none again", async () => {
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
