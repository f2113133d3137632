import { expect, it } from "vitest";
import { payoutMessage, register, testNotifierOfFile } from "../../test-notifier.ts";
import type { DeliveryDocument } from "../documents.ts";
import { openWorkStore, type Settlement } from "./work-store.ts";

const notifier = await testNotifierOfFile();
const work = openWorkStore(notifier.deliveries);

const lease = { token: "own", place: "here:1" };

/** A stored delivery, and the settlement of an attempt under its lease. */
async function leased() {
  const { world, deliveries } = notifier;
  const { merchantId, endpointId } = await register(notifier);
  await notifier.consume([payoutMessage({ merchantId })]);
  const due = await work.due(endpointId, 1, world.now);
  const [delivery] = await work.take(due, lease, world.now);
  if (delivery === undefined) throw new Error("nothing was leased");
  const { _id: id, line, attempts_count: attemptsBefore } = delivery;
  const at = world.now;
  const outcome = { kind: "answered", statusCode: 200, body: "" } as const;
  const settlement: Settlement = {
    ...{ id, line, leaseToken: lease.token, attemptsBefore, at },
    attempt: { number: attemptsBefore + 1, startedAt: at, endedAt: at, outcome },
    transition: { state: "delivered" },
  };
  const stored = () => deliveries.collection.findOne({ _id: id });
  return { delivery, settlement, stored };
}

it("returns only the requested deliveries of a token", async () => {
  const [one, other] = [await leased(), await leased()];
  const held = await work.leased([one.delivery._id], lease);
  expect(held.map(({ _id }) => _id)).toEqual([one.delivery._id]);
  expect(await work.leased([other.delivery._id], { ...lease, token: "stale" })).toEqual([]);
});

it.each([
  ["the token of another lease", { leaseToken: "stale" }],
  ["the attempt count of an earlier read", { attemptsBefore: 1 }],
  ["another ordering key", { line: "whe_1/payout_session/po_1" }],
])("a settlement with %s changes nothing", async (_what, stale) => {
  const { settlement, stored } = await leased();
  const before = await stored();
  expect(await work.settle([{ ...settlement, ...stale }])).toBe(0);
  expect(await stored()).toEqual(before);
  expect(await work.settle([settlement])).toBe(1);
  expect(await stored()).toMatchObject({ state: "delivered", attempts_count: 1, lease: null });
});

it("counts a settlement that an earlier try has written, and changes nothing", async () => {
  const [first, second, third] = [await leased(), await leased(), await leased()];
  const { attempt: _none, ...rest } = second.settlement;
  const ended: Settlement = { ...rest, transition: { state: "cancelled" } };
  const again: Settlement = {
    ...third.settlement,
    transition: { state: "pending", nextAttemptAt: after(0) },
  };
  const settlements = [first.settlement, ended, again];
  expect(await work.settle(settlements)).toBe(3);
  const stored = () => Promise.all([first, second, third].map((each) => each.stored()));
  const before = await stored();
  expect(await work.settle(settlements)).toBe(3);
  expect(await stored()).toEqual(before);
  // Another process has leased and settled the third delivery since.
  const delivery = before[2]!;
  await work.take([delivery], { token: "later", place: "there:1" }, after(1));
  const at = after(2);
  const attempt = { ...again.attempt!, number: 2, startedAt: at, endedAt: at };
  const later = { ...third.settlement, leaseToken: "later", attemptsBefore: 1, attempt, at };
  expect(await work.settle([later])).toBe(1);
  expect(await work.settle(settlements)).toBe(3);
});

it("does not count the settlements of a lost lease", async () => {
  const [first, second] = [await leased(), await leased()];
  const other = { token: "other", place: "there:1" };
  for (const { delivery } of [first, second]) await work.take([delivery], other, after(30_000));
  const { attempt, ...rest } = second.settlement;
  const cancelled: Settlement = { ...rest, transition: { state: "cancelled" } };
  const at = after(30_001);
  const theirs = { ...attempt!, startedAt: at, endedAt: at };
  const same = { leaseToken: "other", at };
  expect(await work.settle([{ ...first.settlement, ...same, attempt: theirs }])).toBe(1);
  expect(await work.settle([{ ...cancelled, ...same }])).toBe(1);
  const before = [await first.stored(), await second.stored()];
  expect(await work.settle([first.settlement, cancelled])).toBe(0);
  expect([await first.stored(), await second.stored()]).toEqual(before);
});

it.each([
  ["the token of another lease", {}, { token: "stale" }],
  ["the attempt count of an earlier read", { attempts_count: 1 }, {}],
])("a lease given back with %s is kept", async (_what, staleDelivery, staleLease) => {
  const { delivery, stored } = await leased();
  const before = await stored();
  const { now } = notifier.world;
  await work.giveBack({ ...delivery, ...staleDelivery }, { ...lease, ...staleLease }, now);
  expect(await stored()).toEqual(before);
  await work.giveBack(delivery, lease, now);
  expect(await stored()).toMatchObject({ state: "pending", lease: null, due_at: now });
});

/** Stores a due delivery and changed copies of it. */
async function dueWith(changes: Readonly<Record<string, Partial<DeliveryDocument>>>) {
  const { world, deliveries } = notifier;
  const registered = await register(notifier);
  // No process of this test owns a shard, so none starts it.
  await notifier.consume([payoutMessage(registered)]);
  const of = { endpoint_id: registered.endpointId };
  const base = (await deliveries.collection.findOne(of))!;
  await deliveries.collection.deleteOne({ _id: base._id });
  const copies = Object.entries(changes).map(([name, change], at) => ({
    ...{ ...base, due_at: world.now, ...change },
    ...{ _id: `${registered.endpointId} ${name}`, replay: at },
  }));
  await deliveries.collection.insertMany(copies);
  const nameOf = ({ _id }: { readonly _id: string }) => _id.slice(registered.endpointId.length + 1);
  return {
    ...registered,
    copies,
    names: (some: readonly { readonly _id: string }[]) => some.map(nameOf),
    stored: () => deliveries.collection.find(of).sort({ replay: 1 }).toArray(),
  };
}

const after = (ms: number): Date => new Date(notifier.world.now.getTime() + ms);

it("finds pending due deliveries, an endpoint's oldest first", async () => {
  const { world } = notifier;
  const due = { older: { due_at: after(-9) }, now: {}, oldest: { due_at: after(-10) } };
  const { endpointId, names } = await dueWith({
    ...due,
    later: { due_at: after(1) },
    ended: { state: "delivered", due_at: after(-20) },
    elsewhere: { endpoint_id: "whe_elsewhere", due_at: after(-20) },
  });
  expect(names(await work.due(endpointId, 10, world.now))).toEqual(["oldest", "older", "now"]);
  expect(names(await work.due(endpointId, 2, world.now))).toEqual(["oldest", "older"]);
  expect(await work.dueCount([endpointId], world.now)).toBe(3);
  expect(await work.dueCount([endpointId, "whe_elsewhere"], world.now)).toBe(4);
  const found = await work.dueEndpoints(world.now);
  expect(found).toContainEqual({ endpointId, oldestDueAt: after(-10) });
  const before = await work.dueEndpoints(after(-11));
  expect(before.map((each) => each.endpointId)).not.toContain(endpointId);
});

it("returns a lease as stored: only the first one sets the deadline", async () => {
  const { world } = notifier;
  const [deadline, tried] = [after(1_000), { attempts_count: 2 }];
  const { endpointId, copies, stored } = await dueWith({
    first: {},
    held: { held: true },
    again: { deadline, ...tried },
  });
  const due = await work.due(endpointId, 10, world.now);
  const taken = await work.take(due, lease, world.now);
  const leasedNow = { lease, due_at: after(30_000), held: false };
  const expected = copies.map((each) => ({
    ...{ ...each, ...leasedNow, deadline: each.deadline ?? after(86_400_000) },
  }));
  expect(await stored()).toEqual(expected);
  const byReplay = taken.toSorted((one, other) => one.replay - other.replay);
  expect(byReplay.map((each) => ({ ...each, attempts: [] }))).toEqual(expected);
});

it("leases a delivery to one of two concurrent workers", async () => {
  const { world } = notifier;
  const { endpointId, names, stored } = await dueWith({ one: {}, other: {} });
  const due = await work.due(endpointId, 10, world.now);
  const [first, second] = due;
  expect(names(await work.take([first!], lease, world.now))).toEqual(names([first!]));
  const late = { token: "late", place: "there:1" };
  expect(names(await work.take(due, late, world.now))).toEqual(names([second!]));
  const holders = (await stored()).map((each) => [names([each])[0], each.lease?.token]);
  expect(Object.fromEntries(holders)).toEqual({
    ...{ [names([first!])[0]!]: "own", [names([second!])[0]!]: "late" },
  });
});

it("frees the leases that a killed process left at its place, and changes nothing else", async () => {
  const left = { lease: { token: "dead", place: "gone:1" }, due_at: after(30_000) };
  const kept = {
    elsewhere: { ...left, lease: { token: "dead", place: "gone:2" } },
    overdue: { ...left, due_at: notifier.world.now },
    ended: { ...left, state: "exhausted" },
    longer: { ...left, due_at: after(30_001) },
    waiting: { due_at: after(1) },
  } as const;
  const { copies, stored } = await dueWith({ left, fresh: { ...left, due_at: after(1) }, ...kept });
  await work.freeLeases("gone:1", notifier.world.now);
  const freed = { lease: null, due_at: notifier.world.now };
  expect(await stored()).toEqual(copies.map((each, at) => (at < 2 ? { ...each, ...freed } : each)));
});

it("settles an attempt, another one, and an end without one", async () => {
  const { world } = notifier;
  const { endpointId, line, copies, stored } = await settling();
  const outcome = { kind: "failed", error: "timeout" } as const;
  const attempt = { number: 1, startedAt: after(-40), endedAt: world.now, outcome };
  const settled = (at: number, transition: Settlement["transition"], more: object = {}) => ({
    ...{ id: `${endpointId} ${at}`, leaseToken: lease.token, line, attemptsBefore: 0 },
    ...{ transition, at: world.now, ...more },
  });
  const written = await work.settle([
    settled(0, { state: "pending", nextAttemptAt: after(5_000) }, { attempt }),
    settled(1, { state: "delivered" }, { attempt }),
    settled(2, { state: "cancelled" }),
  ]);
  expect(written).toBe(3);
  const logged = {
    ...{ number: 1, started_at: after(-40), duration_ms: 40, status_code: 0 },
    ...{ error: "timeout", response_body: "" },
  };
  const tried = { attempts: [logged], attempts_count: 1 };
  const both = { lease: null, updated_at: world.now };
  const next = { due_at: after(5_000), next_attempt_at: after(5_000) };
  const ended = { due_at: null, next_attempt_at: null, expires_at: after(30 * 86_400_000) };
  expect(await stored()).toEqual([
    { ...copies[0], ...both, ...tried, ...next, state: "pending" },
    { ...copies[1], ...both, ...tried, ...ended, state: "delivered" },
    { ...copies[2], ...both, ...ended, state: "cancelled" },
  ]);
});

/** Three leased deliveries, by their index. */
async function settling() {
  const held = { lease, due_at: after(30_000), deadline: after(86_400_000) };
  const due = await dueWith({ 0: held, 1: held, 2: held });
  return { ...due, line: due.copies[0]!.line };
}
