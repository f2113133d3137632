import { randomUUID } from "node:crypto";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  operation,
  payoutMessage,
  refusal,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import type { EventDocument } from "./documents.ts";
import type { FeedStore } from "./feed-store.ts";
import { writeFeedCursor } from "./feed-store.ts";
import { readFeed } from "./rpc.ts";

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

const feeds = () => notifier.database.db.collection<{ _id: string }>("feeds");

/** Stores events that arrive now. Returns their ids. */
async function arrive(merchantId: string, count: number, by = notifier): Promise<string[]> {
  const messages = Array.from({ length: count }, () => payoutMessage({ merchantId }));
  await by.consume(messages);
  return messages.map(({ id }) => id);
}

/** Reads the feed from a cursor to its end. Returns the ids and the final cursor. */
async function readOn(merchantId: string, limit: number, after = "", by = notifier) {
  const ids: string[] = [];
  for (let cursor = after; ; ) {
    const page = await by.rpc.listEvents({ merchantId, limit, after: cursor });
    ids.push(...page.events.map(({ eventId }) => eventId));
    cursor = page.nextCursor;
    if (!page.hasMore) return { ids, cursor };
  }
}

describe("a merchant's feed", () => {
  it("has each position once, even if it were assigned twice", async () => {
    const { merchantId } = await register(notifier);
    await arrive(merchantId, 2);
    await readOn(merchantId, 10);
    const events = notifier.database.db.collection<EventDocument>("events");
    const twice = events.updateOne(
      { merchant_id: merchantId, position: 2 },
      { $set: { position: 1 } },
    );
    await expect(twice).rejects.toMatchObject({ code: 11_000 });
  });

  it("lists each event once, with its exact body, in order of arrival", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const arrived: string[] = [];
    for (const count of [3, 2]) {
      arrived.push(...(await arrive(merchantId, count)).toSorted());
      notifier.advance(1_000);
    }
    await arrive(newId("merchant"), 2);
    await notifier.rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId });
    const first = await notifier.rpc.listEvents({ merchantId, limit: 3 });
    expect(first.events.map(({ eventId }) => eventId).toSorted()).toEqual(arrived.slice(0, 3));
    expect(first.hasMore).toBe(true);
    const stored = await notifier.events.collection.findOne({
      event_id: first.events[0]!.eventId,
    });
    expect(Buffer.from(first.events[0]!.body)).toEqual(Buffer.from(stored!.body.value()));
    expect(first.events[0]).toMatchObject({
      ...{ transactionType: "payout_session", status: "initiated", sequence: 1n },
    });
    const rest = await notifier.rpc.listEvents({ merchantId, limit: 2, after: first.nextCursor });
    expect(rest.events.map(({ eventId }) => eventId).toSorted()).toEqual(arrived.slice(3));
    expect(rest.hasMore).toBe(false);
  });

  it("lists events in order of arrival, and simultaneous ones by number", async () => {
    const merchantId = newId("merchant");
    const [slow, fast] = [newId("payout"), newId("payout")];
    const of = (payoutId: string, version: number) =>
      payoutMessage({ merchantId, payoutId, version });
    const refunded = { eventId: randomUUID(), merchantId, transactionType: "refund" };
    const event = { ...refunded, transactionId: "rf_1", status: "done", sequence: 1n };
    await notifier.consume([of(slow, 4), of(slow, 3)]);
    await notifier.rpc.publishEvent({ mutation: operation(), event: { ...event, dataJson: "{}" } });
    notifier.advance(1);
    await notifier.consume([of(fast, 2), of(fast, 1)]);
    const { events } = await notifier.rpc.listEvents({ merchantId });
    expect(events.map(({ transactionId, sequence }) => [transactionId, sequence])).toEqual([
      ...[
        ["rf_1", 1n],
        [slow, 3n],
        [slow, 4n],
      ],
      ...[
        [fast, 1n],
        [fast, 2n],
      ],
    ]);
  });

  it("returns its end, for readers that want only new events", async () => {
    const { merchantId } = await register(notifier);
    const empty = await notifier.rpc.listEvents({ merchantId, atEnd: true });
    expect(empty.events).toEqual([]);
    await arrive(merchantId, 3);
    const all = await readOn(merchantId, 10, empty.nextCursor);
    expect(all.ids).toHaveLength(3);
    const { nextCursor: end } = await notifier.rpc.listEvents({ merchantId, atEnd: true });
    expect(end).toBe(all.cursor);
    const later = await arrive(merchantId, 1);
    expect((await readOn(merchantId, 10, end)).ids).toEqual(later);
  });

  it("continues at its end, regardless of a late event's arrival time", async () => {
    const merchantId = newId("merchant");
    const early = await arrive(merchantId, 2);
    const { ids, cursor } = await readOn(merchantId, 20);
    expect(ids.toSorted()).toEqual(early.toSorted());
    const again = await notifier.rpc.listEvents({ merchantId, after: cursor });
    expect(again).toMatchObject({ events: [], nextCursor: cursor, hasMore: false });
    // Another process with a clock that is an hour slow.
    notifier.advance(-3_600_000);
    const late = await arrive(merchantId, 1, beside);
    notifier.advance(3_600_000);
    expect((await readOn(merchantId, 20, cursor)).ids).toEqual(late);
    expect((await readOn(merchantId, 1)).ids).toEqual([...ids, ...late]);
  });

  it("is the same for many readers of two processes while events arrive", async () => {
    const merchantId = newId("merchant");
    const writing = (async () => {
      const written: string[] = [];
      for (let at = 0; at < 8; at += 1) {
        notifier.advance(at % 2 === 0 ? 5_000 : -4_000);
        written.push(...(await arrive(merchantId, 5, at % 3 === 0 ? beside : notifier)));
      }
      return written;
    })();
    const reader = async (by: TestNotifier, limit: number) => {
      let { ids, cursor } = await readOn(merchantId, limit, "", by);
      for (let left = 12; left > 0; left -= 1) {
        const more = await readOn(merchantId, limit, cursor, by);
        ids = [...ids, ...more.ids];
        cursor = more.cursor;
      }
      await writing;
      return [...ids, ...(await readOn(merchantId, limit, cursor, by)).ids];
    };
    const readers = [1, 3, 7, 100].map((limit, at) =>
      reader(at % 2 === 0 ? notifier : beside, limit),
    );
    const [first = [], ...others] = await Promise.all(readers);
    expect(first.toSorted()).toEqual((await writing).toSorted());
    for (const each of others) expect(each).toEqual(first);
  });

  it.each([0, 1, 3])(
    "goes on after a crash that came when %i of 3 had their place",
    async (placed) => {
      const merchantId = newId("merchant");
      const before = await arrive(merchantId, 2);
      const { cursor } = await readOn(merchantId, 20);
      const ids = await arrive(merchantId, 3);
      const keys = ids.map((id) => `${merchantId}/${id}`);
      await feeds().updateOne({ _id: merchantId }, { $set: { assigning: keys } });
      for (const [at, _id] of keys.slice(0, placed).entries()) {
        await notifier.events.collection.updateOne({ _id }, { $set: { position: 3 + at } });
      }
      const [here, there] = await Promise.all([
        readOn(merchantId, 2, cursor),
        readOn(merchantId, 2, cursor, beside),
      ]);
      expect([here.ids, there.ids]).toEqual([ids, ids]);
      expect((await readOn(merchantId, 20)).ids.slice(2)).toEqual(ids);
      expect((await readOn(merchantId, 20)).ids.slice(0, 2).toSorted()).toEqual(before.toSorted());
    },
  );

  it("ends before the first position that is not assigned", async () => {
    const merchantId = newId("merchant");
    const ids = await arrive(merchantId, 3);
    const assigning = ids.map((id) => `${merchantId}/${id}`);
    let isCrashed = false;
    // Between two reads, another reader dies after assigning two of three positions.
    const page: FeedStore["page"] = async (...args) => {
      if (!isCrashed) {
        const feed = { schema_version: 1, next: 1, assigning };
        await feeds().updateOne({ _id: merchantId }, { $set: feed }, { upsert: true });
        for (const at of [1, 2]) {
          const given = { $set: { position: at + 1 } };
          await notifier.events.collection.updateOne({ _id: assigning[at]! }, given);
        }
      }
      isCrashed = true;
      return notifier.feeds.page(...args);
    };
    const read = await readFeed({ ...notifier.feeds, page }, { merchantId, after: 0, limit: 1 });
    expect(read).toMatchObject({ events: [{ event_id: ids[0], position: 1 }], hasMore: true });
    expect((await readOn(merchantId, 1)).ids).toEqual(ids);
  });

  it("assigns no position twice and skips none if a stalled reader finishes during the next assignment", async () => {
    const merchantId = newId("merchant");
    const events = beside.events.collection;
    const first = await arrive(merchantId, 2);
    const keysOf = (ids: readonly string[]) => ids.map((id) => `${merchantId}/${id}`);
    await notifier.feeds.assign(merchantId, 1, keysOf(first));
    const [written, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const bulkWrite = events.bulkWrite.bind(events);
    vi.spyOn(events, "bulkWrite").mockImplementationOnce(async (...args) => {
      const result = await bulkWrite(...args);
      written.resolve();
      await stalled.promise;
      return result;
    });
    const late = beside.feeds.next(merchantId);
    await written.promise;
    expect(await notifier.feeds.next(merchantId)).toBe(3);
    const second = await arrive(merchantId, 3);
    const [key = "", ...others] = keysOf(second);
    await notifier.feeds.assign(merchantId, 3, [key, ...others]);
    // The process that named them died after assigning the first position.
    await events.updateOne({ _id: key }, { $set: { position: 3 } });
    stalled.resolve();
    await late;
    expect((await readOn(merchantId, 2)).ids).toEqual([...first, ...second]);
    const stored = await events.find({ merchant_id: merchantId }).sort({ position: 1 }).toArray();
    expect(stored.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  });

  it("omits expired events, and no others", async () => {
    const merchantId = newId("merchant");
    await arrive(merchantId, 3);
    const { ids, cursor } = await readOn(merchantId, 20);
    const page = await notifier.rpc.listEvents({ merchantId, limit: 1 });
    const late = await arrive(merchantId, 3);
    const keys = [...ids.slice(0, 2), late[0]].map((id) => `${merchantId}/${id}`);
    const assigning = late.map((id) => `${merchantId}/${id}`);
    await feeds().updateOne({ _id: merchantId }, { $set: { assigning } });
    await notifier.events.collection.deleteMany({ _id: { $in: keys } });
    expect((await readOn(merchantId, 20)).ids).toEqual([ids[2], late[1], late[2]]);
    expect((await readOn(merchantId, 1, page.nextCursor)).ids).toEqual([ids[2], late[1], late[2]]);
    expect((await readOn(merchantId, 1, cursor)).ids).toEqual([late[1], late[2]]);
  });

  it("ends a page early if its bodies are large, and loses none", async () => {
    const merchantId = newId("merchant");
    const [id = ""] = await arrive(merchantId, 1);
    const { collection } = notifier.events;
    const event = (await collection.findOne({ event_id: id })) as EventDocument;
    const dataJson = `{"x":"${"x".repeat(60_000)}"}`;
    const { rpc } = notifier;
    const sending = Array.from({ length: 20 }, () => ({
      ...{ eventId: randomUUID(), merchantId, transactionType: "refund", transactionId: "rf_1" },
      ...{ status: "done", sequence: 1n, dataJson },
    }));
    for (const each of sending) await rpc.publishEvent({ mutation: operation(), event: each });
    const page = await rpc.listEvents({ merchantId, limit: 100 });
    expect(page).toMatchObject({ hasMore: true });
    expect(page.events.length).toBeLessThan(20);
    const { ids } = await readOn(merchantId, 100);
    const all = [event.event_id, ...sending.map(({ eventId }) => eventId)];
    expect(ids.toSorted()).toEqual(all.toSorted());
  });

  it.each([
    ["malformed", () => "x"],
    ["of a position that was never read", (own: string) => writeFeedCursor(own, 1)],
    ["another merchant's", () => writeFeedCursor("mer_1", 0)],
  ])("refuses a cursor that is %s", async (_what, cursorOf) => {
    const merchantId = newId("merchant");
    const after = cursorOf(merchantId);
    const refused = await refusal(notifier.rpc.listEvents({ merchantId, after }));
    expect(refused).toBe("INVALID_REQUEST after: must be the next_cursor of an earlier response");
  });

  it("refuses a page of more than 100", async () => {
    const refused = await refusal(notifier.rpc.listEvents({ merchantId: "mer_1", limit: 101 }));
    expect(refused).toContain("limit");
  });
});
