import { createWake } from "@disburse/chassis/wake.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { PayoutDocument } from "./document.ts";
import { openPayoutOutbox, type PayoutOutbox, type PendingPayoutEvent } from "./outbox.ts";

/** Tests how a process handles its own stored events and those of other processes. */

let platform: TestPlatform;
let accountId = "";
let outbox: PayoutOutbox;
let held = true;
beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount("mer_1", "1000.00");
});
afterAll(() => platform.stop());
afterEach(() => vi.restoreAllMocks());
beforeEach(() => {
  platform.world.offsetMs = 0;
  held = true;
  outbox = openPayoutOutbox({
    ...{ payouts: platform.payouts, clock: platform.parts.clock },
    ...{ isHeld: () => held, markWithinMs: 500, orphanedAfterMs: 2_000, pollEveryMs: 0 },
    stored: createWake(),
  });
});

const stored = async (id: string) =>
  (await platform.payouts.findOne({ _id: id })) as PayoutDocument;

/** The events of a payout, as in the process that stored them. */
async function pendingOf(id: string): Promise<PendingPayoutEvent[]> {
  const { outbox: events } = await stored(id);
  return events.map((event) => ({ payoutId: id, origin: {}, event }));
}

const dueOf = async (id: string) =>
  (await outbox.due(1_000)).filter((each) => each.id.startsWith(`evt_${id.slice(3)}_`));

/** A settled payout with two pending events. */
async function settled(): Promise<string> {
  const id = await platform.execute(accountId, "order");
  await platform.after(0);
  await platform.after(1_100);
  platform.world.offsetMs = 0;
  return id;
}

/** A settled payout with both events in its outbox, the first of them published. */
async function halfPublished() {
  const id = await settled();
  const clock = stopClock();
  const [first, second] = await pendingOf(id);
  outbox.add(first!);
  outbox.add(second!);
  const [message] = await dueOf(id);
  await outbox.published([message!]);
  return { id, second, clock };
}

/** Replaces the clock of waiting events by one that only the test moves. */
function stopClock() {
  const start = performance.now();
  const clock = vi.spyOn(performance, "now").mockReturnValue(start);
  return { after: (ms: number) => clock.mockReturnValue(start + ms) };
}

it("marks a payout once, when no further event is near", async () => {
  const id = await settled();
  stopClock();
  const [first, second] = await pendingOf(id);
  outbox.add(first!);
  await outbox.published(await dueOf(id));
  const write = vi.spyOn(platform.payouts, "updateOne");
  await outbox.settle();
  expect(write).not.toHaveBeenCalled();
  outbox.add(second!);
  const messages = await dueOf(id);
  expect(messages.map((each) => each.id)).toEqual([second!.event.id]);
  held = false;
  await outbox.settle();
  expect(write).not.toHaveBeenCalled();
  await outbox.published(messages);
  await outbox.settle();
  await outbox.settle();
  expect(write).toHaveBeenCalledTimes(1);
  write.mockRestore();
  const marked = await stored(id);
  expect(marked.outbox).toEqual([]);
  expect(marked.published_events?.map((each) => each.id)).toEqual([
    first!.event.id,
    second!.event.id,
  ]);
});

it("marks known events after a long enough wait", async () => {
  const { id, second, clock } = await halfPublished();
  await outbox.settle();
  expect((await stored(id)).outbox).toHaveLength(2);
  clock.after(501);
  await outbox.settle();
  const half = await stored(id);
  expect(half.outbox.map((each) => each.id)).toEqual([second!.event.id]);
  await outbox.published(await dueOf(id));
  await outbox.settle();
  expect((await stored(id)).outbox).toEqual([]);
});

it("finally marks known events, leased here or not", async () => {
  const { id, second } = await halfPublished();
  await outbox.settle(true);
  const left = await stored(id);
  expect(left.outbox.map((each) => each.id)).toEqual([second!.event.id]);
});

it("publishes an event again until it is published", async () => {
  const id = await settled();
  const [first] = await pendingOf(id);
  outbox.add(first!);
  expect(await dueOf(id)).toEqual(await dueOf(id));
  await outbox.published(await dueOf(id));
  expect(await dueOf(id)).toEqual([]);
});

it("finds orphaned events by their age", async () => {
  const id = await settled();
  expect(await dueOf(id)).toEqual([]);
  platform.world.offsetMs = 3_200;
  expect(await dueOf(id)).toHaveLength(2);
});

it("finds orphaned events of a fast clock by the time since they were first seen", async () => {
  const id = await settled();
  platform.world.offsetMs = -3_600_000;
  const start = performance.now();
  const now = vi.spyOn(performance, "now").mockReturnValue(start);
  expect(await dueOf(id)).toEqual([]);
  now.mockReturnValue(start + 1_999);
  expect(await dueOf(id)).toEqual([]);
  now.mockReturnValue(start + 2_001);
  expect(await dueOf(id)).toHaveLength(2);
  now.mockRestore();
});
