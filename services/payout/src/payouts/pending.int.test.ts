import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Binary } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { migrations } from "../migrations.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { type OutboxOptions, openPayoutOutbox, type PendingPayoutEvent } from "./outbox.ts";
import { openPayouts } from "./store.ts";
import { after, changesBy, storedPayout } from "./test-documents.ts";

/** Tests the times of an outbox's polls, publications and marks, to the millisecond. */

let database: Database;
let payouts: Payouts;
/** The wall clock and `performance.now()`. */
let now: Date;
let elapsedMs: number;
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
  payouts = openPayouts(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => {
  now = after(0);
  elapsedMs = 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => elapsedMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await payouts.deleteMany({});
});

const open = (change: Partial<OutboxOptions> = {}) =>
  openPayoutOutbox({
    ...{ payouts, clock: { now: () => now } },
    ...{ isHeld: () => true, markWithinMs: 500, orphanedAfterMs: 2_000, pollEveryMs: 0 },
    stored: createWake(),
    ...change,
  });

async function insert(change: Partial<PayoutDocument> = {}): Promise<PayoutDocument> {
  const document = storedPayout(change);
  await payouts.insertOne(document);
  return document;
}

/** The event of a new payout, as in the process that stored it. */
function pendingOf({ _id: payoutId, outbox: [event] }: PayoutDocument): PendingPayoutEvent {
  if (event === undefined) throw new Error("no event");
  return { payoutId, origin: {}, event };
}

it("an orphaned event is published unchanged, 2 s later", async () => {
  const origin = { request_id: "req-1", traceparent: "00-1-2-01" };
  const { outbox: stored } = await insert(origin);
  const outbox = open({ pollEveryMs: 1_000 });
  now = after(1.999);
  expect(await outbox.due(10)).toEqual([]);
  now = after(2);
  elapsedMs += 999;
  expect(await outbox.due(10)).toEqual([]);
  elapsedMs += 1;
  const [event] = stored;
  expect(await outbox.due(10)).toStrictEqual([
    { id: event?.id, key: "payout.initiated", body: event?.body.value(), origin },
  ]);
});

it("a new event notifies the relay, and its status is reported", async () => {
  const [stored, onChange] = [createWake(), vi.fn()];
  const outbox = open({ stored, onChange });
  const pending = pendingOf(await insert());
  outbox.add(pending);
  expect([stored.take(), onChange.mock.calls]).toEqual([
    true,
    [["initiated", expect.objectContaining({ payoutId: expect.any(String) })]],
  ]);
  expect((await outbox.due(10)).map(({ id }) => id)).toEqual([pending.event.id]);
  // `onChange` is only called by the process that stored the event.
  await insert();
  now = after(3);
  expect(await outbox.due(10)).toHaveLength(2);
  expect([stored.take(), onChange.mock.calls.length]).toEqual([false, 1]);
});

it("an event of a fast clock is published 2 s after it was first seen", async () => {
  await insert();
  now = after(-3_600);
  const outbox = open();
  for (const seenMs of [0, 1_000, 1_999]) {
    elapsedMs = 10_000 + seenMs;
    expect(await outbox.due(10)).toEqual([]);
  }
  elapsedMs = 12_000;
  expect(await outbox.due(10)).toHaveLength(1);
});

it("an orphaned event is found behind all pending events of this process", async () => {
  const outbox = open();
  const own = [await insert(), await insert()];
  const left = await insert({ outbox: [{ ...storedPayout().outbox[0]!, at: after(1) }] });
  for (const each of own) outbox.add(pendingOf(each));
  await outbox.published(await outbox.due(2));
  now = after(3);
  expect((await outbox.due(1)).map(({ id }) => id)).toEqual([left.outbox[0]?.id]);
});

it("an outbox keeps 10,000 events in memory; the others stay in their payouts", async () => {
  const outbox = open();
  const { event, ...of } = pendingOf(storedPayout());
  for (let at = 0; at < 10_001; at += 1)
    outbox.add({ ...of, event: { ...event, id: `evt_${at}` } });
  const due = await outbox.due(20_000);
  expect([due.length, due[0]?.id, due.at(-1)?.id]).toEqual([10_000, "evt_0", "evt_9999"]);
});

it("a payout leased here is marked once after half a second, with published events", async () => {
  const stored = await insert();
  const [first] = stored.outbox;
  const second = { ...first!, id: "evt_second_2", key: "payout.failed", body: new Binary() };
  const outbox = open();
  outbox.add(pendingOf(stored));
  outbox.add({ ...pendingOf(stored), event: second });
  await payouts.updateOne({ _id: stored._id }, { $push: { outbox: second } });
  const [message] = await outbox.due(1);
  await outbox.published([message!, { ...message!, id: "evt_unknown_1" }]);
  elapsedMs += 499;
  now = after(7);
  expect(await changesBy(payouts, stored._id, outbox.settle)).toEqual([]);
  elapsedMs += 1;
  expect(await changesBy(payouts, stored._id, outbox.settle)).toEqual([
    "outbox = [{ id evt_second_2, key payout.failed, at 0 s, body … }]",
    "published_at = 7 s",
    `published_events = [{ id ${first?.id}, key payout.initiated, body … }]`,
  ]);
  const write = vi.spyOn(payouts, "updateOne");
  await outbox.settle();
  expect(write).not.toHaveBeenCalled();
  expect((await outbox.due(10)).map(({ id }) => id)).toEqual(["evt_second_2"]);
});

it("a payout whose event waits for the bus is not marked", async () => {
  const stored = await insert();
  const outbox = open();
  outbox.add(pendingOf(stored));
  elapsedMs += 500;
  expect(await changesBy(payouts, stored._id, outbox.settle)).toEqual([]);
});

it.each([
  ["of one that the process may change again soon, not", true, 1],
  ["of another one, at once", false, 0],
])("all events %s are marked as soon as they are published", async (_what, isHeld, left) => {
  const stored = await insert();
  const outbox = open({ isHeld: (id) => id === stored._id && isHeld });
  outbox.add(pendingOf(stored));
  await outbox.published(await outbox.due(1));
  await outbox.settle();
  const found = await payouts.findOne({ _id: stored._id });
  expect(found?.outbox).toHaveLength(left);
});
