import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { newReplay, openReplayStore, type ReplayDocument, type ReplayStore } from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);
const change = { operationId: "op", actor: { kind: "service", id: "test" } } as const;
const here = "here:8080";

let database: Awaited<ReturnType<typeof migratedDatabase>>;
let replays: ReplayStore;
beforeAll(async () => {
  database = await migratedDatabase("replays", migrations);
  replays = openReplayStore(database, here);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => replays.collection.deleteMany({}));

/** A running replay of its own endpoint, plus changes. */
function replay(name: string, changes: Partial<ReplayDocument> = {}): ReplayDocument {
  const terms = {
    ...{ endpointId: `whe_${name}`, since: at(-9_000), until: now },
    ...{ states: ["exhausted"] as const, eventTypes: [], rate: 10 },
  };
  const created = newReplay(
    "mer_1",
    terms,
    { total: 5, isCapped: false },
    { ...change, operationId: `op-${name}` },
    at(-1_000),
  );
  return { ...created, _id: name, ...changes };
}

const stored = () => replays.collection.find().sort({ _id: 1 }).toArray();
const lease = { token: "own", place: here };

it("finds a replay for its merchant alone, by its id and by its operation", async () => {
  const [one, other] = [replay("a"), replay("b", { merchant_id: "mer_2", operation_id: "op-a" })];
  await Promise.all([one, other, replay("c")].map(replays.insert));
  expect(await replays.find("mer_1", "a")).toEqual(one);
  expect(await replays.find("mer_1", "b")).toBeNull();
  expect(await replays.find("mer_2", "a")).toBeNull();
  expect(await replays.findByOperation("mer_1", "op-a")).toEqual(one);
  expect(await replays.findByOperation("mer_2", "op-a")).toEqual(other);
  expect(await replays.findByOperation("mer_2", "op-c")).toBeNull();
});

it("leases the replay that has been due longest, and returns its new state", async () => {
  const due = { now: replay("now", { due_at: now }), longest: replay("z", { due_at: at(-5) }) };
  const later = replay("later", { due_at: at(1) });
  await Promise.all([due.now, later, due.longest].map(replays.insert));
  const leased = { lease, due_at: at(30_000) };
  expect(await replays.claim("own", now, 30_000)).toEqual({ ...due.longest, ...leased });
  expect(await replays.claim("own", now, 30_000)).toEqual({ ...due.now, ...leased });
  expect(await replays.claim("own", now, 30_000)).toBeNull();
  expect(await stored()).toEqual([
    ...[later, { ...due.now, ...leased }, { ...due.longest, ...leased }],
  ]);
});

it("frees the leases that a killed process left at its place, and changes nothing else", async () => {
  const left = { lease: { ...lease, token: "dead" }, due_at: at(30_000) };
  const kept = [
    replay("elsewhere", { ...left, lease: { token: "dead", place: "there:8080" } }),
    replay("ended", { ...left, state: "done" }),
    replay("waiting", { due_at: at(1) }),
  ];
  await Promise.all([replay("left", left), ...kept].map(replays.insert));
  await replays.freeLeases(now);
  const freed = replay("left", { lease: null, due_at: now });
  expect(await stored()).toEqual([kept[0], kept[1], freed, kept[2]]);
});

it("is settled under its lease alone: a page, a page without an original, the end", async () => {
  const held = { lease, due_at: at(30_000) };
  await Promise.all([replay("a", held), replay("b", held)].map(replays.insert));
  const last = { at: at(-7_000), id: "whd_7" };
  const page = (queued: number, state: "running" | "done" = "running") => ({
    transition: state === "done" ? { state } : { state, nextPageAt: at(1_000) },
    ...{ queued, last: queued === 0 ? undefined : last, at: now },
  });
  expect(await replays.settle("a", "stale", page(3))).toBe(false);
  expect(await stored()).toEqual([replay("a", held), replay("b", held)]);
  expect(await replays.settle("a", "own", page(3))).toBe(true);
  const settled = { lease: null, updated_at: now };
  const first = { ...settled, queued_count: 3, cursor: last, due_at: at(1_000) };
  expect(await stored()).toEqual([replay("a", first), replay("b", held)]);
  // A settled replay has no lease.
  expect(await replays.settle("a", "own", page(3))).toBe(false);
  await replays.collection.updateOne({ _id: "a" }, { $set: { lease } });
  expect(await replays.settle("a", "own", page(0, "done"))).toBe(true);
  const ended = { state: "done", due_at: null, expires_at: at(30 * 86_400_000) } as const;
  expect(await stored()).toEqual([replay("a", { ...first, ...ended }), replay("b", held)]);
});

it("is cancelled by its merchant alone while it runs, under a lease too", async () => {
  const held = replay("a", { lease, due_at: at(30_000) });
  await Promise.all([held, replay("b")].map(replays.insert));
  const by = { operationId: "op-cancel", actor: { kind: "api_key", id: "key_1" } } as const;
  expect(await replays.cancel("mer_2", "a", now, by)).toBeNull();
  expect(await stored()).toEqual([held, replay("b")]);
  const cancelled = replay("a", {
    ...{ state: "cancelled", due_at: null, expires_at: at(30 * 86_400_000), updated_at: now },
    cancelled_by: { operation_id: "op-cancel", actor: by.actor },
  });
  expect(await replays.cancel("mer_1", "a", now, by)).toEqual(cancelled);
  const again = { ...by, operationId: "op-again" };
  expect(await replays.cancel("mer_1", "a", at(5), again)).toEqual(cancelled);
  expect(await stored()).toEqual([cancelled, replay("b")]);
});
