import { silentLog } from "@disburse/chassis/log.ts";
import {
  DeliveryState,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deliveryKeptMs } from "../deliveries/documents.ts";
import { makeRedeliveries } from "../deliveries/redelivery-store.ts";
import { sweepExpired } from "../deliveries/retention.ts";
import {
  acknowledged,
  operation,
  payoutMessage,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { startWorker } from "../wiring.ts";
import { createReplayer } from "./replayer.ts";
import { recheckEveryMs } from "./rules/replay.ts";
import { openReplayStore } from "./store.ts";

let notifier: TestNotifier;
let beside: TestNotifier;

beforeAll(async () => {
  notifier = await startTestNotifier();
  beside = await startTestNotifier({ beside: notifier });
});
afterAll(async () => {
  await notifier.database.db.dropDatabase();
  await Promise.all([notifier.close(), beside.close()]);
});
beforeEach(() => {
  notifier.world.answer = () => acknowledged;
});

const since = "2026-11-19";

/** An endpoint with deliveries in the given state, three per second; their events in order. */
async function endpointWith(count: number, state: "exhausted" | "delivered" = "exhausted") {
  const created = await register(notifier);
  const eventIds = await deliver(created, count, state);
  return { ...created, eventIds };
}

type Registered = { readonly merchantId: string; readonly endpointId: string };

async function deliver(
  { merchantId, endpointId }: Registered,
  count: number,
  state: "exhausted" | "delivered" | "pending",
): Promise<string[]> {
  const { collection } = notifier.deliveries;
  const known = await collection.distinct("event_id", { endpoint_id: endpointId });
  for (let at = 0; at < count; at += 3) {
    const batch = Array.from({ length: Math.min(3, count - at) }, () =>
      payoutMessage({ merchantId }),
    );
    await notifier.consume(batch);
    notifier.advance(1_000);
  }
  await notifier.dispatcher.idle();
  const fresh = { endpoint_id: endpointId, event_id: { $nin: known } };
  const due = state === "pending" ? notifier.world.now : null;
  const fields = { state, due_at: due, next_attempt_at: due, lease: null };
  await collection.updateMany(fresh, { $set: fields });
  const found = await collection.find(fresh).sort({ created_at: 1, _id: 1 }).toArray();
  return found.map(({ event_id }) => event_id);
}

/** Returns the redelivered events, one entry per redelivery. */
async function queued({ endpointId }: Registered): Promise<string[]> {
  const filter = { endpoint_id: endpointId, replay: { $gt: 0 } };
  const found = await notifier.deliveries.collection.find(filter).toArray();
  return found.map(({ event_id }) => event_id);
}

/** Sends due deliveries now. Returns those of the endpoint's initial events. */
async function posted({ eventIds }: { readonly eventIds: readonly string[] }): Promise<string[]> {
  notifier.world.posted.length = 0;
  await notifier.work();
  const sent = notifier.world.posted.flatMap(({ headers }) => headers["webhook-id"] ?? []);
  return sent.filter((id) => eventIds.includes(id));
}

const request = ({ merchantId, endpointId }: Registered, change: object = {}) => ({
  ...{ mutation: operation(), merchantId, endpointId, since },
  ...change,
});

async function replay(of: Registered, change: object = {}) {
  const created = (await notifier.rpc.createReplay(request(of, change))).replay;
  if (created === undefined) throw new Error("no replay");
  return created;
}

async function readReplay({ merchantId }: Registered, replayId: string) {
  const found = (await notifier.rpc.getReplay({ merchantId, replayId })).replay;
  if (found === undefined) throw new Error("no replay");
  return found;
}

describe("a replay", () => {
  it("sends each delivery once, oldest first, and no more than its rate in a second", async () => {
    const endpoint = await endpointWith(25);
    const { id, ...created } = await replay(endpoint, { ratePerSecond: 10 });
    expect(created).toMatchObject({ state: ReplayState.RUNNING, totalCount: 25n, queuedCount: 0n });
    for (const sent of [10, 20, 25]) {
      while (await notifier.replayer.round());
      const oldest = endpoint.eventIds.slice(0, sent);
      expect((await queued(endpoint)).toSorted()).toEqual(oldest.toSorted());
      expect((await readReplay(endpoint, id)).queuedCount).toBe(BigInt(sent));
      notifier.advance(999);
      expect(await notifier.replayer.round()).toBe(false);
      notifier.advance(1);
    }
    expect((await readReplay(endpoint, id)).state).toBe(ReplayState.DONE);
    expect((await posted(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
  });

  it("brings the next attempts of pending deliveries forward, once", async () => {
    const endpoint = await endpointWith(0);
    const eventIds = await deliver(endpoint, 3, "pending");
    const { collection } = notifier.deliveries;
    const later = new Date(notifier.world.now.getTime() + 3_600_000);
    const ofEndpoint = { endpoint_id: endpoint.endpointId };
    await collection.updateMany(ofEndpoint, { $set: { due_at: later, next_attempt_at: later } });
    const { id } = await replay(endpoint, { states: ["pending"] });
    while (await notifier.replayer.round());
    expect((await posted({ eventIds })).toSorted()).toEqual(eventIds.toSorted());
    expect(await posted({ eventIds })).toEqual([]);
    expect(await queued(endpoint)).toEqual([]);
    expect(await collection.countDocuments({ ...ofEndpoint, state: "delivered" })).toBe(3);
    expect(await readReplay(endpoint, id)).toMatchObject({ totalCount: 3n });
  });

  it("sends only the chosen event types, at its rate", async () => {
    const endpoint = await endpointWith(8);
    const { collection } = notifier.deliveries;
    const changed = (eventIds: readonly string[], fields: object) =>
      collection.updateMany({ event_id: { $in: [...eventIds] } }, { $set: fields });
    const [first = "", second = "", third = "", ...others] = endpoint.eventIds;
    await changed([first], { transaction_type: "account.credited", status: "credited" });
    await changed([second], { status: "failed" });
    await changed([third], { transaction_type: "refund", status: "failed" });
    const failed = ["payout_session.failed", "refund"];
    const { id, ...created } = await replay(endpoint, { eventTypes: failed, ratePerSecond: 1 });
    expect(created).toMatchObject({
      ...{ eventTypes: failed, totalCount: 2n, totalCountCapped: false },
    });
    for (const sent of [[second], [second, third]]) {
      while (await notifier.replayer.round());
      expect((await queued(endpoint)).toSorted()).toEqual(sent.toSorted());
      notifier.advance(1_000);
    }
    expect(await readReplay(endpoint, id)).toMatchObject({
      ...{ state: ReplayState.DONE, queuedCount: 2n },
    });
    const none = await replay(endpoint, { eventTypes: ["payment_session"] });
    expect(none).toMatchObject({ state: ReplayState.DONE, totalCount: 0n });
    const all = await replay(endpoint, { eventTypes: ["*"] });
    expect(all.totalCount).toBe(BigInt(others.length + 2));
    const credits = { mutation: operation(), merchantId: endpoint.merchantId, replayId: all.id };
    await notifier.rpc.cancelReplay(credits);
    const credited = await replay(endpoint, { eventTypes: ["account.credited"] });
    expect(credited.totalCount).toBe(1n);
  });

  it("finds rare types beyond the deliveries of one page", async () => {
    const endpoint = await endpointWith(1);
    const { collection } = notifier.deliveries;
    const original = await collection.findOne({ endpoint_id: endpoint.endpointId });
    if (original === null) throw new Error("nothing was sent");
    const copies = Array.from({ length: 1_100 }, (_none, at) => ({
      ...original,
      _id: `${original._id}_${at}`,
      event_id: `${original.event_id}_${at}`,
      created_at: new Date(original.created_at.getTime() + 1),
    }));
    await collection.insertMany(copies);
    const last = copies.at(-1)!;
    const later = { status: "failed", created_at: new Date(last.created_at.getTime() + 1) };
    await collection.updateOne({ _id: last._id }, { $set: later });
    const { id, totalCount } = await replay(endpoint, { eventTypes: ["payout_session.failed"] });
    expect(totalCount).toBe(1n);
    for (let pages = 0; pages < 3; pages += 1) {
      while (await notifier.replayer.round());
      notifier.advance(1_000);
    }
    expect(await queued(endpoint)).toEqual([last.event_id]);
    expect((await readReplay(endpoint, id)).state).toBe(ReplayState.DONE);
  });

  it("sends a full last page and then ends", async () => {
    const endpoint = await endpointWith(6);
    const { id } = await replay(endpoint, { ratePerSecond: 3 });
    for (let page = 0; page < 3; page += 1) {
      expect(await notifier.replayer.round()).toBe(true);
      notifier.advance(1_000);
    }
    expect(await readReplay(endpoint, id)).toMatchObject({
      state: ReplayState.DONE,
      queuedCount: 6n,
    });
    expect(await queued(endpoint)).toHaveLength(6);
  });

  it("sends only the originals of its endpoint, time span and states", async () => {
    const endpoint = await endpointWith(3);
    const start = notifier.world.now;
    const exhausted = await deliver(endpoint, 3, "exhausted");
    const delivered = await deliver(endpoint, 3, "delivered");
    await deliver(endpoint, 3, "pending");
    const { merchantId, endpointId } = endpoint;
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId, limit: 100 });
    const first = deliveries.find(({ eventId }) => eventId === exhausted[0]);
    const again = { mutation: operation(), merchantId, deliveryId: first?.id ?? "" };
    await notifier.rpc.redeliver(again);
    await notifier.rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId });
    const noneOfThem = { $or: [{ replay: 1 }, { transaction_type: "webhook_test" }] };
    const ended = { state: "exhausted", due_at: null } as const;
    const theirs = { endpoint_id: endpointId, ...noneOfThem };
    const { matchedCount } = await notifier.deliveries.collection.updateMany(theirs, {
      $set: ended,
    });
    expect(matchedCount).toBe(2);
    notifier.advance(1_000);
    const end = notifier.world.now;
    await deliver(endpoint, 3, "exhausted");
    const before = await queued(endpoint);
    const window = { since: start.toISOString(), until: end.toISOString() };
    expect(await replay(endpoint, window)).toMatchObject({
      ...{ totalCount: 3n, totalCountCapped: false, states: [DeliveryState.EXHAUSTED] },
      ratePerSecond: 10,
    });
    await notifier.replayer.round();
    expect((await queued(endpoint)).toSorted()).toEqual([...before, ...exhausted].toSorted());
    await replay(endpoint, { ...window, states: ["delivered", "exhausted"] });
    await notifier.replayer.round();
    expect((await queued(endpoint)).toSorted()).toEqual(
      [...before, ...exhausted, ...exhausted, ...delivered].toSorted(),
    );
  });

  it("resumes after a crash, and sends nothing twice", async () => {
    const endpoint = await endpointWith(9);
    const { id } = await replay(endpoint, { ratePerSecond: 4 });
    const { claim } = notifier.replays;
    const settle = () => Promise.reject(new Error("killed"));
    const dying = createReplayer({
      ...notifier,
      replays: { claim, settle },
      clock: { now: () => notifier.world.now },
      log: silentLog,
      wake: () => undefined,
    });
    await expect(dying.round()).rejects.toThrow("killed");
    expect(await queued(endpoint)).toHaveLength(4);
    expect((await readReplay(endpoint, id)).queuedCount).toBe(0n);
    notifier.advance(29_999);
    expect(await beside.replayer.round()).toBe(false);
    notifier.advance(1);
    for (const sent of [4, 8, 9]) {
      expect(await beside.replayer.round()).toBe(true);
      expect((await readReplay(endpoint, id)).queuedCount).toBe(BigInt(sent));
      notifier.advance(1_000);
    }
    expect((await queued(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
    expect((await readReplay(endpoint, id)).state).toBe(ReplayState.DONE);
  });

  it("resumes at once when its process restarts, and no faster than its rate", async () => {
    const endpoint = await endpointWith(8);
    const { id } = await replay(endpoint, { ratePerSecond: 3 });
    const place = "killed:8080";
    const killed = openReplayStore(notifier.database, place);
    const settle = () => Promise.reject(new Error("killed"));
    const dying = createReplayer({
      ...notifier,
      replays: { claim: killed.claim, settle },
      clock: { now: () => notifier.world.now },
      log: silentLog,
      wake: () => undefined,
    });
    await expect(dying.round()).rejects.toThrow("killed");
    await beside.replays.freeLeases(notifier.world.now);
    expect(await beside.replayer.round()).toBe(false);
    const restarted = await startTestNotifier({ beside: notifier, place });
    const settled = Promise.withResolvers<void>();
    const settlePage = restarted.replays.settle;
    vi.spyOn(restarted.replays, "settle").mockImplementation(async (...page) => {
      const isWritten = await settlePage(...page);
      settled.resolve();
      return isWritten;
    });
    const worker = startWorker(restarted, { now: () => notifier.world.now }, silentLog);
    await settled.promise;
    await worker.stop();
    for (const sent of [3, 6, 8]) {
      if (sent > 3) expect(await restarted.replayer.round()).toBe(true);
      expect((await readReplay(endpoint, id)).queuedCount).toBe(BigInt(sent));
      expect(await queued(endpoint)).toHaveLength(sent);
      notifier.advance(999);
      expect(await restarted.replayer.round()).toBe(false);
      notifier.advance(1);
    }
    await restarted.close();
    expect((await queued(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
    expect((await readReplay(endpoint, id)).state).toBe(ReplayState.DONE);
  });

  it("waits while its endpoint is paused, and goes on at its rate", async () => {
    const endpoint = await endpointWith(5);
    const { merchantId, endpointId } = endpoint;
    const named = () => ({ mutation: operation(), merchantId, endpointId });
    const { id } = await replay(endpoint, { ratePerSecond: 3 });
    expect(await notifier.replayer.round()).toBe(true);
    await notifier.rpc.pauseEndpoint(named());
    for (const waitedMs of [1_000, recheckEveryMs]) {
      notifier.advance(waitedMs);
      expect(await notifier.replayer.round()).toBe(true);
      expect(await notifier.replayer.round()).toBe(false);
      expect(await readReplay(endpoint, id)).toMatchObject({ state: ReplayState.RUNNING });
      expect(await queued(endpoint)).toHaveLength(3);
    }
    await notifier.rpc.resumeEndpoint(named());
    notifier.advance(recheckEveryMs - 1);
    expect(await notifier.replayer.round()).toBe(false);
    notifier.advance(1);
    expect(await notifier.replayer.round()).toBe(true);
    expect(await readReplay(endpoint, id)).toMatchObject({
      state: ReplayState.DONE,
      queuedCount: 5n,
    });
    expect((await queued(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
  });

  it("sends the originals regardless of the endpoint's current filter", async () => {
    const endpoint = await endpointWith(3);
    const { merchantId, endpointId } = endpoint;
    const filter = { merchantId, endpointId, eventTypes: ["refund"] };
    await notifier.rpc.updateEndpoint({ mutation: operation(), ...filter });
    await notifier.consume([payoutMessage({ merchantId })]);
    notifier.advance(1_000);
    await replay(endpoint, { states: ["exhausted", "delivered"] });
    await notifier.replayer.round();
    expect((await posted(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
  });

  it("is not set back by a worker that lost its lease", async () => {
    const endpoint = await endpointWith(7);
    const { id } = await replay(endpoint, { ratePerSecond: 3 });
    const { claim, settle } = notifier.replays;
    const slow = createReplayer({
      ...notifier,
      replays: {
        claim,
        settle: async (...settlement) => {
          for (const waited of [30_000, 1_000]) {
            notifier.advance(waited);
            await beside.replayer.round();
          }
          return settle(...settlement);
        },
      },
      clock: { now: () => notifier.world.now },
      log: silentLog,
      wake: () => undefined,
    });
    await slow.round();
    expect((await readReplay(endpoint, id)).queuedCount).toBe(6n);
    notifier.advance(1_000);
    await beside.replayer.round();
    expect(await readReplay(endpoint, id)).toMatchObject({
      state: ReplayState.DONE,
      queuedCount: 7n,
    });
    expect((await queued(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
  });

  it("takes the next number if a delivery was redelivered meanwhile, and loses none", async () => {
    const endpoint = await endpointWith(3);
    const { merchantId, endpointId } = endpoint;
    const { collection } = notifier.deliveries;
    const sources = await collection.find({ endpoint_id: endpointId }).toArray();
    let isRacing = true;
    const insertMany: typeof collection.insertMany = async (documents, options) => {
      if (isRacing) {
        isRacing = false;
        const deliveryId = sources[0]?._id ?? "";
        await notifier.rpc.redeliver({ mutation: operation(), merchantId, deliveryId });
      }
      return collection.insertMany(documents, options);
    };
    const racing = new Proxy(collection, {
      get: (target, name) => {
        if (name === "insertMany") return insertMany;
        const member = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const actor = { kind: "service", id: "test" } as const;
    const request = sources.map((source) => ({
      source,
      change: { operationId: `raced/${source._id}`, actor },
    }));
    await makeRedeliveries(racing, request, notifier.world.now);
    const created = await collection
      .find({ endpoint_id: endpointId, replay: { $gt: 0 } })
      .toArray();
    expect(created.map(({ replay }) => replay).toSorted()).toEqual([1, 1, 1, 2]);
  });

  it("is processed by one worker at a time", async () => {
    const endpoints = await Promise.all([endpointWith(10), endpointWith(10)]);
    const created = await Promise.all(endpoints.map((each) => replay(each, { ratePerSecond: 4 })));
    for (const sent of [4, 8, 10]) {
      const workers = [notifier, beside, notifier, beside];
      await Promise.all(workers.map(({ replayer }) => replayer.round()));
      for (const endpoint of endpoints) expect(await queued(endpoint)).toHaveLength(sent);
      notifier.advance(1_000);
    }
    for (const [at, endpoint] of endpoints.entries()) {
      expect((await queued(endpoint)).toSorted()).toEqual(endpoint.eventIds.toSorted());
      expect((await readReplay(endpoint, created[at]?.id ?? "")).state).toBe(ReplayState.DONE);
    }
  });

  it("ends with its endpoint", async () => {
    const endpoint = await endpointWith(9);
    const { id } = await replay(endpoint, { ratePerSecond: 3 });
    await notifier.replayer.round();
    await notifier.rpc.deleteEndpoint({ mutation: operation(), ...endpoint });
    notifier.advance(1_000);
    expect(await notifier.replayer.round()).toBe(true);
    const ended = await readReplay(endpoint, id);
    expect(ended).toMatchObject({ state: ReplayState.CANCELLED, queuedCount: 3n });
    notifier.advance(60_000);
    expect(await notifier.replayer.round()).toBe(false);
    expect(await posted(endpoint)).toEqual([]);
  });

  it("ends when it is cancelled, and stays so", async () => {
    const endpoint = await endpointWith(6);
    const { merchantId } = endpoint;
    const { id: replayId } = await replay(endpoint, { ratePerSecond: 3 });
    await notifier.replayer.round();
    const cancel = () => notifier.rpc.cancelReplay({ mutation: operation(), merchantId, replayId });
    const ended = (await cancel()).replay;
    expect(ended).toMatchObject({ state: ReplayState.CANCELLED, queuedCount: 3n });
    notifier.advance(1_000);
    expect(await notifier.replayer.round()).toBe(false);
    expect((await cancel()).replay).toEqual(ended);
    const next = await replay(endpoint);
    await notifier.replayer.round();
    const done = { mutation: operation(), merchantId, replayId: next.id };
    expect((await notifier.rpc.cancelReplay(done)).replay?.state).toBe(ReplayState.DONE);
  });

  it("expires as long after its end as its deliveries, and never while running", async () => {
    const running = await endpointWith(3);
    const { id: runningId } = await replay(running, { ratePerSecond: 1 });
    const ended = await register(notifier, newId("merchant"));
    const { id } = await replay(ended);
    const keptUntil = notifier.world.now.getTime() + deliveryKeptMs;
    await sweepExpired(notifier, new Date(keptUntil - 1));
    expect((await readReplay(ended, id)).state).toBe(ReplayState.DONE);
    await sweepExpired(notifier, new Date(keptUntil));
    await expect(readReplay(ended, id)).rejects.toThrow();
    expect((await readReplay(running, runningId)).state).toBe(ReplayState.RUNNING);
    const { merchantId } = running;
    const ending = { mutation: operation(), merchantId, replayId: runningId };
    await notifier.rpc.cancelReplay(ending);
  });

  it("without originals is done at once", async () => {
    const endpoint = await register(notifier, newId("merchant"));
    expect(await replay(endpoint)).toMatchObject({ state: ReplayState.DONE, totalCount: 0n });
    expect(await notifier.replayer.round()).toBe(false);
  });
});
