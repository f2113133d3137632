import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { migrations } from "../migrations.ts";
import { type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import { createLeases, type LeasesOptions, leaseMs } from "./leases.ts";
import { openPayouts } from "./store.ts";
import { after, changesBy, claimedAt, storedPayout } from "./test-documents.ts";
import type { LeasedPayout } from "./work.ts";

/** Tests leased payouts that wait in their process, and the polls for others. */

let database: Database;
let payouts: Payouts;
/** The wall clock and `performance.now()`. */
let now: Date;
let elapsedMs: number;
const clock = { now: () => now };
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
  payouts = openPayouts(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => {
  now = claimedAt;
  elapsedMs = 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => elapsedMs);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await payouts.deleteMany({});
});

const open = (change: Partial<LeasesOptions> = {}) =>
  createLeases(payouts, clock, "first:8080", {
    ...{ heldMax: 10, pollEveryMs: 1_000, work: createWake(), ...change },
  });

/** Leases that have just polled and found nothing. */
async function openIdle(change: Partial<LeasesOptions> = {}) {
  const leases = open(change);
  expect(await leases.next()).toBeUndefined();
  return leases;
}

const lease = { token: "token-1", until: after(8), place: "first:8080" };

/** Stores a payout with a lease of this process. */
async function leased(change: Partial<PayoutDocument> = {}): Promise<LeasedPayout> {
  const stored = storedPayout({ lease, ...change });
  await payouts.insertOne(stored);
  const { token: leaseToken, until } = lease;
  const calls = [{ kind: "submit", at: after(0) }] as const;
  return { payout: toPayout(stored), leaseToken, until, origin: { request_id: "req-1" }, calls };
}
const idOf = (each: LeasedPayout | undefined) => each?.payout.id;

it("they are returned by due time, in insertion order for equal times", async () => {
  const leases = await openIdle();
  const [late, first, second, last] = [
    ...[await leased(), await leased()],
    ...[await leased(), await leased()],
  ] as const;
  expect(leases.isHeld(late.payout.id)).toBe(false);
  leases.hold(late, after(2));
  leases.hold(first, after(1));
  leases.hold(second, after(1));
  leases.hold(last, after(3));
  expect(await leases.next()).toBeUndefined();
  expect(leases.mayHaveMore()).toBe(false);
  now = after(0.999);
  expect(await leases.next()).toBeUndefined();
  now = after(1);
  expect(leases.mayHaveMore()).toBe(true);
  const taken = [...first.calls, { kind: "leased", at: after(1) }];
  expect(await leases.next()).toStrictEqual({ ...first, calls: taken });
  expect(idOf(await leases.next())).toBe(idOf(second));
  expect(await leases.next()).toBeUndefined();
  now = after(3);
  expect(idOf(await leases.next())).toBe(idOf(late));
  expect(idOf(await leases.next())).toBe(idOf(last));
});

it("each is leased here until its worker is done, or longer if it waits again", async () => {
  const leases = await openIdle();
  const payout = await leased();
  leases.hold(payout, after(0));
  expect(leases.isHeld(payout.payout.id)).toBe(true);
  await leases.next();
  expect(leases.isHeld(payout.payout.id)).toBe(true);
  leases.hold(payout, after(1));
  leases.done(payout);
  expect(leases.isHeld(payout.payout.id)).toBe(true);
  now = after(1);
  await leases.next();
  leases.done(payout);
  expect(leases.isHeld(payout.payout.id)).toBe(false);
  leases.hold(payout, after(1));
  now = after(8);
  expect(await leases.next()).toBeUndefined();
  expect(leases.isHeld(payout.payout.id)).toBe(false);
});

it("there are no more than the process may keep, each with a lease of its own", async () => {
  const leases = open({ heldMax: 2 });
  expect(leases.leaseNew()).toEqual({
    ...{ token: expect.any(String), until: after(leaseMs / 1_000), place: "first:8080" },
  });
  expect(leases.leaseNew()?.token).not.toBe(leases.leaseNew()?.token);
  leases.hold(await leased(), after(0));
  expect(leases.hasCapacity()).toBe(true);
  leases.hold(await leased(), after(0));
  expect([leases.hasCapacity(), leases.leaseNew()]).toEqual([false, undefined]);
});

it("all are left to others with their calls and times, before the process ends", async () => {
  const leases = await openIdle();
  const held = [await leased(), await leased()] as const;
  for (const [at, each] of held.entries()) leases.hold(each, after(at + 2));
  expect(await changesBy(payouts, held[1].payout.id, leases.releaseHeld)).toEqual([
    "calls + { kind submit, at 0 s }",
    "no lease",
    "work_due_at = 3 s",
  ]);
  expect(await payouts.countDocuments({ lease: { $exists: true } })).toBe(0);
  now = after(3);
  expect(await leases.next()).toBeUndefined();
});

it("the next poll is immediate if every waiting worker got a payout, else after a pause", async () => {
  const leases = open();
  await payouts.insertMany([storedPayout(), storedPayout(), storedPayout()]);
  expect(idOf(await leases.next())).toBeDefined();
  expect(leases.mayHaveMore()).toBe(true);
  const asked = await Promise.all([leases.next(), leases.next(), leases.next()]);
  expect(asked.filter((each) => each === undefined)).toHaveLength(1);
  expect(leases.mayHaveMore()).toBe(false);
  await payouts.insertOne(storedPayout());
  elapsedMs = 10_999;
  expect(await leases.next()).toBeUndefined();
  elapsedMs = 11_000;
  expect(idOf(await leases.next())).toBeDefined();
  expect(await leases.next()).toBeUndefined();
  await payouts.insertOne(storedPayout());
  expect(await leases.next()).toBeUndefined();
  leases.pollNow();
  expect(idOf(await leases.next())).toBeDefined();
});

it("a payout with an expired lease is reported as taken over; a new one is not", async () => {
  const onTakenOver = vi.fn();
  const leases = open({ onTakenOver });
  await payouts.insertOne(storedPayout({ request_id: "req-2" }));
  expect(await leases.next()).toMatchObject({ origin: { request_id: "req-2" }, until: after(8) });
  expect(onTakenOver).not.toHaveBeenCalled();
  await payouts.deleteMany({});
  const expired = await leased({ traceparent: "trace" });
  now = after(8);
  const taken = await leases.next();
  expect(onTakenOver).toHaveBeenCalledOnce();
  expect(taken).toEqual({
    payout: { ...expired.payout, revision: 2 },
    leaseToken: expect.any(String),
    ...{ until: after(16), origin: { traceparent: "trace" }, calls: [] },
  });
  const found = await payouts.findOne({ _id: expired.payout.id });
  expect(found).toMatchObject({
    lease: { token: taken?.leaseToken, until: after(16), place: "first:8080" },
    revision: 2,
    calls: [{ kind: "leased", at: after(8) }],
  });
});
