import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog, silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { eventId, newId } from "@disburse/kernel/id.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  operation,
  payoutMessage,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import type { GapMetrics } from "./metrics.ts";
import type { GapKind } from "./rules/window.ts";
import { openGapStore } from "./store.ts";
import { type PayoutEvents, startGapSweep, sweepDeliveries, sweepPayoutEvents } from "./sweep.ts";

type Message = { -readonly [Key in keyof BusMessage]: BusMessage[Key] };
type Published = { merchantId: string; payoutId: string; events: Message[] } & Record<
  "createdAt" | "publishedAt",
  Date
>;

const minuteMs = 60_000;
let notifier: TestNotifier;
let payouts: Published[];
let isAway: boolean;
let pageSize: number;
let ages: Map<GapKind, number>;
let counted: { kind: GapKind; found?: number; repaired?: number }[];
let unrepaired: Map<GapKind, number>;
/** Payout fails every call with one of these events. */
let poisonous: Set<string>;
/** Number of events in each call of payout. */
let republishes: number[];
let payout: Awaited<ReturnType<typeof servePayout>>["rpc"];
let stopPayout: () => Promise<void>;

beforeAll(async () => {
  notifier = await startTestNotifier();
  ({ rpc: payout, stop: stopPayout } = await servePayout());
});
afterAll(async () => {
  await stopPayout();
  await notifier.drop();
});
beforeEach(async () => {
  await notifier.database.db.collection("gaps").deleteMany({});
  payouts = [];
  isAway = false;
  pageSize = 1;
  counted = [];
  ages = new Map();
  unrepaired = new Map();
  poisonous = new Set();
  republishes = [];
});

/** The payout service, which publishes by its own clock. */
const published: Partial<ServiceImpl<typeof PayoutOperatorService>> = {
  listPublishedPayouts: ({ from, to, cursor }) => {
    if (isAway) throw new ConnectError("away", Code.Unavailable);
    const [start, end] = [timestampDate(from!), timestampDate(to!)];
    const inSpan = payouts
      .filter(({ publishedAt }) => publishedAt >= start && publishedAt < end)
      .toSorted((one, other) => one.publishedAt.getTime() - other.publishedAt.getTime());
    const at = Number(cursor);
    const page = inSpan
      .slice(at, at + pageSize)
      .map(({ createdAt, publishedAt, events, ...ids }) => ({
        ...{ ...ids, versions: events.map((_each, version) => version + 1) },
        createdAt: timestampFromDate(createdAt),
        publishedAt: timestampFromDate(publishedAt),
      }));
    return {
      payouts: page,
      nextCursor: at + pageSize < inSpan.length ? String(at + pageSize) : "",
    };
  },
  republishPayoutEvents: ({ eventIds }) => {
    republishes.push(eventIds.length);
    if (eventIds.some((id) => poisonous.has(id))) throw new Error("a poisonous event");
    const all = payouts.flatMap(({ events }) => events);
    const requested = all.filter(({ id, body }) => eventIds.includes(id) && body.length > 0);
    return {
      events: requested.map(({ id, key, body }) => ({
        ...{ eventId: id, routingKey: key, body, requestId: "req-7" },
      })),
    };
  },
};

/** Serves payout with its tokens and the contract's access options. */
async function servePayout() {
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    verify: testTrust.verify("payout"),
    log: silentLog,
    metrics: createMetrics("payout"),
    services: [PayoutOperatorService],
    routes: (router) => router.service(PayoutOperatorService, published),
    ready: async () => true,
  });
  const identity = testTrust.service("notifier");
  const client = connectService(PayoutOperatorService, server.url, { identity });
  const stop = async () => {
    client.close();
    await server.stop();
  };
  return { rpc: client.rpc, stop };
}

const metrics: GapMetrics = {
  found: (kind, count) => void counted.push({ kind, found: count }),
  repaired: (kind, count) => void counted.push({ kind, repaired: count }),
  open: (kind, count) => void unrepaired.set(kind, count),
  through: (kind, ageMs) => void ages.set(kind, ageMs),
};

const deps = (log = silentLog) => ({
  gaps: openGapStore(notifier.database, notifier.events, notifier.deliveries),
  ...{ fanOut: notifier.fanOut, metrics, log, holdsLease: async () => true },
  clock: { now: () => notifier.world.now },
});

/** A payout that just published all its versions. None has arrived. */
function publishes(merchantId: string, count: number): Published {
  const payoutId = newId("payout");
  const events = Array.from({ length: count }, (_each, at) =>
    payoutMessage({
      ...{ merchantId, payoutId, version: at + 1 },
      status: at === 0 ? "initiated" : "succeeded",
    }),
  );
  const { now } = notifier.world;
  const published = { merchantId, payoutId, events, createdAt: now, publishedAt: now };
  payouts.push(published);
  return published;
}

const sweep = (log = silentLog) => sweepPayoutEvents(deps(log), payout);
const stored = (merchantId: string) =>
  notifier.events.collection.find({ merchant_id: merchantId }).sort({ _id: 1 }).toArray();

describe("an event that was lost on its way", () => {
  it("is found by the payout's versions, and stored as if it had arrived", async () => {
    const { merchantId } = await register(notifier);
    const { payoutId, events } = publishes(merchantId, 2);
    await notifier.consume(events.slice(0, 1));
    await notifier.work();
    notifier.advance(minuteMs);
    await sweep();
    expect((await stored(merchantId)).length).toBe(1);
    // At one minute of age it counts as lost.
    notifier.advance(1);
    notifier.world.posted.length = 0;
    const lines: string[] = [];
    await sweep(createLog("notifier", "info", { write: (line) => void lines.push(line) }));
    expect(counted).toEqual([
      { kind: "event", found: 1 },
      { kind: "event", repaired: 1 },
    ]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event_id: eventId(payoutId, 2), request_id: "req-7", level: "warn" },
    ]);
    await notifier.work();
    const headers = notifier.world.posted.map((call) => call.headers["webhook-id"]);
    expect(headers).toEqual([eventId(payoutId, 2)]);
    const body = JSON.parse(Buffer.from(notifier.world.posted[0]!.body).toString());
    expect(body).toMatchObject({ transaction_id: payoutId, data: { status: "succeeded" } });
  });

  it("is repaired once, also if it arrives after all", async () => {
    const { merchantId } = await register(notifier);
    const { events } = publishes(merchantId, 3);
    const others = [publishes(merchantId, 1), publishes(merchantId, 1)];
    notifier.advance(2 * minuteMs);
    await sweep();
    expect(counted.flatMap(({ found = [] }) => found)).toEqual([3, 1, 1]);
    expect(counted.flatMap(({ repaired = [] }) => repaired)).toEqual([5]);
    const all = await stored(merchantId);
    expect(all).toHaveLength(5);
    const bodies = all.map(({ body }) => Buffer.from(body.value()).toString());
    await notifier.consume([...events, ...others.flatMap((each) => each.events)]);
    counted = [];
    notifier.advance(2 * minuteMs);
    await sweep();
    expect(counted).toEqual([]);
    const after = await stored(merchantId);
    expect(after.map(({ body }) => Buffer.from(body.value()).toString())).toEqual(bodies);
    const deliveries = { merchant_id: merchantId };
    expect(await notifier.deliveries.collection.countDocuments(deliveries)).toBe(5);
  });

  it("is found later if payout was unavailable, with no change until then", async () => {
    const merchantId = newId("merchant");
    publishes(merchantId, 1);
    notifier.advance(2 * minuteMs);
    const { gaps } = deps();
    const before = await gaps.through("event");
    isAway = true;
    await expect(sweep()).rejects.toThrow("away");
    expect([await gaps.through("event"), await stored(merchantId)]).toEqual([before, []]);
    isAway = false;
    notifier.advance(10 * 60 * minuteMs);
    await sweep();
    expect(await stored(merchantId)).toHaveLength(1);
  });

  it("is found although payout's clock is five minutes slow", async () => {
    const merchantId = newId("merchant");
    await sweep();
    const late = publishes(merchantId, 1);
    notifier.advance(6 * minuteMs);
    payouts = [];
    await sweep();
    payouts = [late];
    notifier.advance(minuteMs);
    await sweep();
    expect(await stored(merchantId)).toHaveLength(1);
  });

  it("that payout cannot republish is reported, and delays no other", async () => {
    const merchantId = newId("merchant");
    const [mute, broken, good] = [1, 1, 1].map((count) => publishes(merchantId, count));
    mute!.events[0]!.body = new Uint8Array();
    broken!.events[0]!.body = Buffer.from("not protobuf");
    notifier.advance(2 * minuteMs);
    const lines: string[] = [];
    await sweep(createLog("notifier", "error", { write: (line) => void lines.push(line) }));
    expect(counted.flatMap(({ repaired = [] }) => repaired)).toEqual([1]);
    expect(unrepaired.get("event")).toBe(2);
    expect((await stored(merchantId)).map((each) => each.event_id)).toEqual([good!.events[0]!.id]);
    const ids = lines.map((line) => JSON.parse(line).event_id).toSorted();
    const lost = [mute!, broken!].map(({ events }) => events[0]!.id);
    expect(new Set(ids)).toEqual(new Set(lost));
  });

  it("is counted and stays open if its repair fails, and is repaired once possible", async () => {
    const { merchantId } = await register(notifier);
    const lost = publishes(merchantId, 1);
    poisonous.add(lost.events[0]!.id);
    notifier.advance(2 * minuteMs);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await sweep();
      notifier.advance(10 * minuteMs);
    }
    expect(counted.flatMap(({ found = [] }) => found)).toEqual([1, 0]);
    expect(unrepaired.get("event")).toBe(1);
    poisonous.clear();
    // By now far behind the checkpoint.
    await sweep();
    expect((await stored(merchantId)).map((each) => each.event_id)).toEqual([lost.events[0]!.id]);
    expect(unrepaired.get("event")).toBe(0);
  });

  it("whose repair fails for good delays no other", async () => {
    const merchantId = newId("merchant");
    pageSize = 200;
    const all = Array.from({ length: 250 }, () => publishes(merchantId, 1));
    for (const { events } of all.slice(30, 42)) poisonous.add(events[0]!.id);
    notifier.advance(2 * minuteMs);
    for (let sweeps = 0; sweeps < 4; sweeps += 1) {
      await sweep();
      notifier.advance(5 * minuteMs);
    }
    const ids = new Set((await stored(merchantId)).map((each) => each.event_id));
    expect([ids.size, ids.isDisjointFrom(poisonous)]).toEqual([238, true]);
    const later = publishes(merchantId, 1);
    notifier.advance(2 * minuteMs);
    await sweep();
    expect((await stored(merchantId)).map((each) => each.event_id)).toContain(later.events[0]!.id);
    // A hundred at once, then ten, then alone.
    expect(new Set(republishes)).toEqual(new Set([100, 50, 10, 1]));
  });

  it("is left for the next sweep if every call fails", async () => {
    const merchantId = newId("merchant");
    pageSize = 2_000;
    const all = Array.from({ length: 1_100 }, () => publishes(merchantId, 1));
    for (const { events } of all) poisonous.add(events[0]!.id);
    notifier.advance(2 * minuteMs);
    await sweep();
    expect(republishes).toEqual(Array.from({ length: 10 }, () => 100));
    poisonous.clear();
    notifier.advance(5 * minuteMs);
    await sweep();
    expect(await stored(merchantId)).toHaveLength(1_100);
  });

  it("is given up when it is so old that it may be deleted here", async () => {
    const merchantId = newId("merchant");
    poisonous.add(publishes(merchantId, 1).events[0]!.id);
    notifier.advance(2 * minuteMs);
    await sweep();
    notifier.advance(61 * 86_400_000);
    await sweep();
    expect(unrepaired.get("event")).toBe(0);
  });

  it("is no gap if the event is so old that it may be deleted here", async () => {
    const merchantId = newId("merchant");
    const returned = publishes(merchantId, 2);
    notifier.advance(70 * 86_400_000);
    returned.publishedAt = notifier.world.now;
    notifier.advance(2 * minuteMs);
    await sweep();
    const ids = (await stored(merchantId)).map((each) => each.event_id);
    expect(ids).toEqual([returned.events[1]!.id]);
  });
});

describe("a stored event without its deliveries", () => {
  it("whose deliveries can't be created delays neither another nor a payout's event", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const [bad, good] = [payoutMessage({ merchantId }), payoutMessage({ merchantId })];
    await notifier.consume([bad, good]);
    await notifier.deliveries.collection.deleteMany({ endpoint_id: endpointId });
    const { deliver } = notifier.fanOut;
    const fanOut = {
      ...notifier.fanOut,
      deliver: async (events: Parameters<typeof deliver>[0]) => {
        if (events.some(({ event_id }) => event_id === bad.id)) throw new Error("cannot be made");
        await deliver(events);
      },
    };
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      notifier.advance(5 * minuteMs);
      await sweepDeliveries({ ...deps(), fanOut });
    }
    const stored = await notifier.deliveries.collection.find({ merchant_id: merchantId }).toArray();
    expect(stored.map(({ event_id }) => event_id)).toEqual([good.id]);
    expect(unrepaired.get("delivery")).toBe(1);
    notifier.advance(5 * minuteMs);
    await sweepDeliveries(deps());
    expect(unrepaired.get("delivery")).toBe(0);
  });

  it("gets them once, within a minute of its arrival", async () => {
    const { merchantId, endpointId } = await register(notifier);
    await register(notifier, merchantId);
    await notifier.consume([payoutMessage({ merchantId }), payoutMessage({ merchantId })]);
    const { collection } = notifier.deliveries;
    const theirs = { merchant_id: merchantId };
    const before = await collection.find(theirs).sort({ _id: 1 }).toArray();
    await collection.deleteMany({ ...theirs, endpoint_id: endpointId });
    await sweepDeliveries(deps());
    expect(await collection.countDocuments(theirs)).toBe(2);
    notifier.advance(minuteMs + 1);
    await sweepDeliveries(deps());
    expect(counted).toEqual([
      { kind: "delivery", found: 2 },
      { kind: "delivery", repaired: 2 },
    ]);
    const after = await collection.find(theirs).sort({ _id: 1 }).toArray();
    expect(after.map(({ _id }) => _id)).toEqual(before.map(({ _id }) => _id));
    await sweepDeliveries(deps());
    notifier.advance(minuteMs);
    await sweepDeliveries(deps());
    expect(counted).toHaveLength(2);
  });

  it("gets them also if its publisher crashed with the process", async () => {
    const { merchantId } = await register(notifier);
    const event = {
      ...{ eventId: newId("event"), merchantId, transactionType: "refund", transactionId: "rf_1" },
      ...{ status: "done", sequence: 1n, dataJson: "{}" },
    };
    const insert = vi.spyOn(notifier.deliveries.collection, "insertMany");
    insert.mockRejectedValueOnce(new Error("killed"));
    await expect(notifier.rpc.publishEvent({ mutation: operation(), event })).rejects.toThrow();
    await notifier.work();
    notifier.advance(2 * minuteMs);
    notifier.world.posted.length = 0;
    await sweepDeliveries(deps());
    await notifier.work();
    expect(notifier.world.posted.map((call) => call.headers["webhook-id"])).toEqual([
      event.eventId,
    ]);
  });
});

it("sweeps in one process at a time, and logs once that payouts' events are not swept", async () => {
  const merchantId = newId("merchant");
  publishes(merchantId, 1);
  notifier.advance(2 * minuteMs);
  const lines: string[] = [];
  const log = createLog("notifier", "warn", { write: (line) => void lines.push(line) });
  const lease = () => createSweepLease(notifier.database, "gaps", 60_000);
  const everyMs = 20;
  const other = lease();
  await other.hold();
  const [reported, swept] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const events: GapMetrics = {
    ...metrics,
    repaired: (kind) => void (kind === "event" && swept.resolve()),
    through: (kind, ageMs) => void (kind === "event" && reported.resolve(ageMs)),
  };
  const start = (source: PayoutEvents | undefined) =>
    startGapSweep({ ...deps(log), metrics: events, lease: lease(), payout: source, everyMs });
  const loops = [start(undefined), start(payout)];
  await new Promise((resolve) => setTimeout(resolve, 5 * everyMs));
  expect(await stored(merchantId)).toEqual([]);
  // Neither process sweeps, and both report the age of the last sweep.
  const { gaps, clock } = deps();
  const before = await gaps.through("event");
  const age = clock.now().getTime() - before!.getTime();
  expect(await reported.promise).toBe(age);
  await loops[0]!.stop();
  await other.release();
  await swept.promise;
  expect(await stored(merchantId)).toHaveLength(1);
  await loops[1]!.stop();
  const off = lines.filter((line) => line.includes("PAYOUT_URL"));
  expect(off).toHaveLength(1);
});
