import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount(merchantId, "1000.00");
});
afterAll(() => platform.stop());

/** A payout that was submitted, settled and returned. Its three events are pending. */
async function returned(): Promise<string> {
  platform.world.offsetMs = 0;
  const execute = () => platform.execute(accountId, "sandbox-return-1");
  const id = await withCallContext({ requestId: "req-1" }, execute);
  for (const ms of [0, 1_100, 1_000]) await platform.after(ms);
  return id;
}

async function pendingOf(id: string): Promise<readonly BusMessage[]> {
  const all = await platform.outbox.due(1_000);
  return all.filter((event) => event.id.startsWith(`evt_${id.slice("po_".length)}_`));
}

async function published(from: Timestamp, limit = 0) {
  const to = timestampFromDate(new Date(Date.now() + platform.world.offsetMs + 1));
  const pages = [];
  for (let cursor = ""; ; ) {
    const page = await platform.operatorRpc.listPublishedPayouts({ from, to, limit, cursor });
    pages.push(...page.payouts.map(({ payoutId, versions }) => ({ payoutId, versions })));
    cursor = page.nextCursor;
    if (cursor === "") return pages;
  }
}

const republished = async (eventIds: string[]) =>
  (await platform.operatorRpc.republishPayoutEvents({ eventIds })).events;

it("is listed by the time of its last event, without pending events", async () => {
  const { outbox } = platform;
  const [first, second] = [await returned(), await returned()];
  const from = timestampFromDate(new Date(Date.now() + platform.world.offsetMs));
  const [initiated, ...others] = await pendingOf(first);
  expect(await published(from)).toEqual([]);
  await outbox.published([initiated!]);
  platform.world.offsetMs += 10;
  await outbox.published(await pendingOf(second));
  expect(await published(from, 1)).toEqual([
    { payoutId: first, versions: [1] },
    { payoutId: second, versions: [1, 2, 3] },
  ]);
  platform.world.offsetMs += 10;
  await outbox.published(others);
  expect(await published(from, 1)).toEqual([
    { payoutId: second, versions: [1, 2, 3] },
    { payoutId: first, versions: [1, 2, 3] },
  ]);
  expect(await published(from, 2)).toEqual(await published(from));
});

it("is listed with the times of its creation and of its last event", async () => {
  const id = await returned();
  const from = timestampFromDate(new Date(Date.now() + platform.world.offsetMs));
  await platform.outbox.published(await pendingOf(id));
  const to = timestampFromDate(new Date(Date.now() + platform.world.offsetMs + 1));
  const { payouts } = await platform.operatorRpc.listPublishedPayouts({ from, to });
  const stored = await platform.payouts.findOne({ _id: id });
  const listed = payouts.find(({ payoutId }) => payoutId === id);
  const { $typeName: _, ...message } = listed!;
  expect(message).toEqual({
    ...{ payoutId: id, merchantId, versions: [1, 2, 3] },
    createdAt: timestampFromDate(stored!.created_at),
    publishedAt: timestampFromDate(stored!.published_at!),
  });
  const until = timestampFromDate(stored!.published_at!);
  const before = await platform.operatorRpc.listPublishedPayouts({ from, to: until });
  expect(before.payouts.map(({ payoutId }) => payoutId)).not.toContain(id);
});

it("publishes its events again byte for byte, each once, and no pending one", async () => {
  const id = await returned();
  const messages = await pendingOf(id);
  const ids = messages.map((event) => event.id);
  expect(await republished(ids)).toEqual([]);
  // Two relays published the same events: the second one changes nothing.
  await platform.outbox.published(messages.slice(0, 2));
  await platform.outbox.published(messages);
  expect((await platform.payouts.findOne({ _id: id }))?.published_events).toHaveLength(3);
  const again = await republished([...ids, eventId(id, 4), "evt_none_1", "x"]);
  expect(again.map((event) => ({ ...event, body: Buffer.from(event.body) }))).toMatchObject(
    messages.map(({ id: event, key, body }) => ({
      ...{ eventId: event, routingKey: key, body: Buffer.from(body), requestId: "req-1" },
    })),
  );
});

it("refuses a span without bounds, and too many at once", async () => {
  const { operatorRpc } = platform;
  const now = timestampFromDate(new Date());
  for (const half of [{ from: now }, { to: now }]) {
    await expect(operatorRpc.listPublishedPayouts(half)).rejects.toThrow("from, to");
  }
  const span = { from: now, to: now };
  await expect(operatorRpc.listPublishedPayouts({ ...span, limit: 501 })).rejects.toThrow("limit");
  expect((await operatorRpc.listPublishedPayouts({ ...span, limit: 500 })).payouts).toEqual([]);
  const cursor = "no cursor";
  await expect(operatorRpc.listPublishedPayouts({ ...span, cursor })).rejects.toThrow("cursor");
  for (const eventIds of [[], Array.from({ length: 101 }, () => "evt_1"), ["e".repeat(129)]]) {
    await expect(operatorRpc.republishPayoutEvents({ eventIds })).rejects.toThrow("event_ids");
  }
  for (const eventIds of [["evt_1"], Array.from({ length: 100 }, () => "e".repeat(128))]) {
    expect(await republished(eventIds)).toEqual([]);
  }
});
