import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDeliveryStore } from "../deliveries/store.ts";
import { eventKeptMs } from "../events/documents.ts";
import { openEventStore } from "../events/store.ts";
import { migrations } from "../migrations.ts";
import { openGapStore } from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);

const database = await migratedDatabase("gaps", migrations);
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
const [events, deliveries] = [openEventStore(database), openDeliveryStore(database)];
const gaps = openGapStore(database, events, deliveries);

/** An event with only the fields that a sweep reads, and its expiry. */
const event = (name: string, receivedAt: Date) => ({
  ...{ _id: `mer_1/${name}`, merchant_id: "mer_1", event_id: name, endpoint_ids: ["whe_1"] },
  ...{ received_at: receivedAt, expires_at: new Date(receivedAt.getTime() + eventKeptMs) },
});
const stored = [event("late", at(-1)), event("first", at(-9)), event("next", now)];

beforeAll(async () => {
  await events.collection.insertMany(stored as never);
  await deliveries.collection.insertOne({ _id: "whd_1", line: "l" } as never);
});

it("stores the progress of each kind of sweep, and never goes back", async () => {
  expect(await gaps.through("event")).toBeUndefined();
  await gaps.advance("event", at(-5));
  await gaps.advance("delivery", at(-7));
  await gaps.advance("event", at(-6));
  expect([await gaps.through("event"), await gaps.through("delivery")]).toEqual([at(-5), at(-7)]);
  await gaps.advance("event", at(-4));
  const checkpoints = database.db.collection("checkpoints").find().sort({ _id: 1 });
  expect(await checkpoints.toArray()).toEqual([
    { _id: "delivery", schema_version: 1, through: at(-7) },
    { _id: "event", schema_version: 1, through: at(-4) },
  ]);
});

it("reads events that were received in a window, from its start to before its end", async () => {
  const read: unknown[] = [];
  for await (const chunk of gaps.receivedIn({ from: at(-9), to: now })) read.push(chunk);
  const reach = stored.map(({ expires_at: _none, ...each }) => each);
  expect(read).toEqual([[reach[1], reach[0]]]);
  const [next] = await gaps.readEvents(["mer_1/next", "mer_1/none"]);
  expect(next).toEqual(stored[2]);
});

it("returns the stored keys among those requested", async () => {
  const keys = ["mer_1/first", "mer_1/none", "whd_1"];
  expect(await gaps.storedEvents(keys)).toEqual(new Set(["mer_1/first"]));
  expect(await gaps.storedDeliveries(keys)).toEqual(new Set(["whd_1"]));
});
