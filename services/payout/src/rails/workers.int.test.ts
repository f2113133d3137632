import { createWake } from "@disburse/chassis/wake.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type PayoutDocument, toPayout } from "../payouts/document.ts";
import { createLeases, leaseMs } from "../payouts/leases.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { insertPayout } from "../payouts/store.ts";
import {
  leasesOf,
  place,
  startTestPlatform,
  type TestPlatform,
  testRail,
} from "../test-platform.ts";
import { startRailWorkers, workOnDuePayout } from "./worker.ts";

/** Payouts that wait in the process between two steps, under their leases. */

let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
  accountId = await platform.fundedAccount("mer_1", "1000.00");
});
afterAll(() => platform.stop());
afterEach(async () => {
  platform.world.offsetMs = 0;
  await platform.payouts.deleteMany({});
});

/** Creates leases of a process that holds payouts. */
function keeping(heldMax = 10) {
  const options = { heldMax, pollEveryMs: 0, work: createWake() };
  const leases = createLeases(platform.payouts, platform.parts.clock, place, options);
  const work = async () => {
    while (await workOnDuePayout({ ...platform.parts, leases }));
  };
  return { leases, work };
}

/** Creates a rail that accepts, requests a poll after a time, and has settled by then. */
function accepting(pollAfterMs: number): Rail {
  const replies: RailReply[] = [{ status: { kind: "accepted" }, pollAfterMs }];
  const next = async (): Promise<RailReply> =>
    replies.shift() ?? { status: { kind: "settled", reference: "R" } };
  return testRail({ submit: next, query: next });
}

const stored = async (id: string) =>
  (await platform.payouts.findOne({ _id: id })) as PayoutDocument;
const kindsOf = ({ calls }: PayoutDocument) =>
  calls.map(({ kind, said }) => (said === undefined ? kind : `${kind} ${said}`));

it("one that is polled soon stays leased, and nothing is stored until the answer", async () => {
  const { leases, work } = keeping();
  platform.rails.current = accepting(1_000);
  const id = await platform.execute(accountId, "soon");
  await work();
  const submitted = await stored(id);
  expect(submitted).toMatchObject({ progress: { stage: "submitting" }, lease: { place } });
  expect(kindsOf(submitted)).toEqual(["leased", "submit"]);
  expect(leases.isHeld(id)).toBe(true);
  await work();
  expect(await stored(id)).toEqual(submitted);
  platform.world.offsetMs = 1_000;
  await work();
  const settled = await stored(id);
  expect(settled).toMatchObject({
    progress: { stage: "settled" },
    revision: submitted.revision + 2,
  });
  expect(kindsOf(settled)).toEqual([
    ...["leased", "submit", "answer accepted"],
    ...["leased", "answer settled R"],
  ]);
});

it.each([
  ["as late as its lease covers", 2_000, true],
  ["a millisecond later", 2_001, false],
])("one that is polled %s: it waits here or not", async (_when, pollAfterMs, isHeld) => {
  platform.rails.current = accepting(pollAfterMs);
  const id = await platform.execute(accountId, "covered");
  let at = new Date(Date.now() + 1_000);
  const clock = { now: () => at };
  const leases = createLeases(platform.payouts, clock, place, {
    ...{ heldMax: 10, pollEveryMs: 0, work: createWake() },
  });
  const { beneficiary } = platform.parts;
  const slowly: typeof beneficiary = Object.assign(Object.create(beneficiary), {
    // The lease is renewed after this.
    getPaymentInstruction: (...given: Parameters<typeof beneficiary.getPaymentInstruction>) => {
      at = new Date(at.getTime() + 1_000);
      return beneficiary.getPaymentInstruction(...given);
    },
  });
  while (await workOnDuePayout({ ...platform.parts, leases, clock, beneficiary: slowly }));
  expect(leases.isHeld(id)).toBe(isHeld);
  expect((await stored(id)).lease === undefined).toBe(!isHeld);
});

it.each([
  ["later than its lease covers", 2_500, 10],
  ["where the process keeps enough", 1_000, 0],
])("one that is polled %s is stored and found again", async (_when, pollAfterMs, heldMax) => {
  const { leases, work } = keeping(heldMax);
  platform.rails.current = accepting(pollAfterMs);
  const id = await platform.execute(accountId, "later");
  await work();
  const waiting = await stored(id);
  expect(waiting).toMatchObject({ progress: { stage: "processing" } });
  expect(waiting.lease).toBeUndefined();
  expect(leases.isHeld(id)).toBe(false);
  platform.world.offsetMs = pollAfterMs;
  await work();
  expect(await stored(id)).toMatchObject({ progress: { stage: "settled" } });
});

it("one that is unknown is stored: its sub-status changes", async () => {
  const { work, leases } = keeping();
  const unknown = async (): Promise<RailReply> => ({
    status: { kind: "unknown" },
    pollAfterMs: 500,
  });
  platform.rails.current = testRail({ submit: unknown, query: accepting(1_000).query });
  const id = await platform.execute(accountId, "unknown");
  await work();
  expect(await stored(id)).toMatchObject({ progress: { stage: "unknown" } });
  platform.world.offsetMs = 600;
  await work();
  expect(await stored(id)).toMatchObject({ progress: { stage: "processing" } });
  expect(leases.isHeld(id)).toBe(false);
});

it("those that wait are others' at once when their process stops", async () => {
  const first = keeping();
  platform.rails.current = accepting(1_000);
  const id = await platform.execute(accountId, "stopped");
  await first.work();
  await first.leases.releaseHeld();
  const released = await stored(id);
  expect(released.lease).toBeUndefined();
  expect(kindsOf(released)).toEqual(["leased", "submit", "answer accepted"]);
  expect(await leasesOf(platform.payouts, platform.parts.clock).next()).toBeUndefined();
  platform.world.offsetMs = 1_000;
  const second = leasesOf(platform.payouts, platform.parts.clock);
  expect((await second.next())?.payout.id).toBe(id);
});

it("those whose process was killed are others' when the lease ends", async () => {
  const killed = keeping();
  platform.rails.current = accepting(1_000);
  const id = await platform.execute(accountId, "killed");
  await killed.work();
  platform.world.offsetMs = leaseMs - 100;
  const other = leasesOf(platform.payouts, platform.parts.clock);
  expect(await other.next()).toBeUndefined();
  platform.world.offsetMs = leaseMs + 1_000;
  expect(killed.leases.isHeld(id)).toBe(true);
  // The process stalled: its own lease expired, and its poll finds due payouts like any other.
  expect((await killed.leases.next())?.calls).toEqual([]);
  await platform.payouts.updateOne({ _id: id }, { $unset: { lease: "" } });
  platform.world.offsetMs += leaseMs;
  await platform.work();
  expect(await stored(id)).toMatchObject({ progress: { stage: "settled" } });
});

it("a new payout is stored with its lease, and submitted without a poll", async () => {
  const { payouts, parts: worker } = platform;
  platform.rails.current = accepting(1_000);
  const { leases } = keeping(1);
  const payout: Payout = toPayout(await stored(await platform.execute(accountId, "new")));
  await payouts.deleteMany({});
  const lease = leases.leaseNew();
  if (lease === undefined) return expect.unreachable("no lease");
  const inserted = await insertPayout(payouts, payout, lease);
  expect(await leasesOf(payouts, worker.clock).next()).toBeUndefined();
  const { token: leaseToken, until } = lease;
  const leased = { payout, leaseToken, until, origin: {}, calls: [] };
  leases.hold(leased, worker.clock.now());
  expect([leases.hasCapacity(), leases.leaseNew(), leases.isHeld(payout.id)]).toEqual([
    ...[false, undefined, true],
  ]);
  await workOnDuePayout({ ...worker, leases });
  expect(await stored(payout.id)).toMatchObject({ revision: 2, progress: { stage: "submitting" } });
  expect(inserted.events?.map(({ id }) => id)).toEqual([eventId(payout.id, 1)]);
  await platform.execute(accountId, "another");
  const repeated = await insertPayout(payouts, { ...payout, version: 9 }, lease);
  expect(repeated).not.toHaveProperty("events");
  expect(repeated.payout).toMatchObject({ id: payout.id, version: 1 });
});

it("a step that fails after its submission is stored has each call once", async () => {
  const { payouts, parts: worker } = platform;
  platform.rails.current = accepting(2_500);
  const { leases } = keeping();
  const id = await platform.execute(accountId, "failing");
  const leased = await leases.next();
  if (leased === undefined) return expect.unreachable("not leased");
  leases.hold(leased, worker.clock.now());
  const { updateOne } = payouts;
  vi.spyOn(payouts, "updateOne")
    // The submission.
    .mockImplementationOnce(updateOne)
    .mockRejectedValueOnce(new Error("database away"));
  await workOnDuePayout({ ...worker, leases });
  vi.restoreAllMocks();
  // The leases of the poll and of the wait.
  expect(kindsOf(await stored(id))).toEqual(["leased", "leased", "submit"]);
});

it("workers that wait are woken when a payout is due, all at the same time", async () => {
  const { payouts, parts: worker } = platform;
  const arrived = new Set<string>();
  const all = Promise.withResolvers<void>();
  // Each submission waits for the others, so a single worker would wait for ever.
  const submit = async (key: string): Promise<RailReply> => {
    arrived.add(key);
    if (arrived.size === 4) all.resolve();
    await all.promise;
    return { status: { kind: "accepted" }, pollAfterMs: 20 };
  };
  const query = async (): Promise<RailReply> => ({ status: { kind: "settled", reference: "R" } });
  platform.rails.current = testRail({ submit, query });
  const work = createWake();
  const leases = createLeases(payouts, worker.clock, place, {
    ...{ heldMax: 10, pollEveryMs: 100, work },
  });
  const workers = startRailWorkers({ ...worker, leases }, { count: 4, work });
  try {
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_each, at) => platform.execute(accountId, `woken-${at}`)),
    );
    leases.pollNow();
    await vi.waitFor(
      async () => {
        for (const id of ids) {
          expect(await stored(id)).toMatchObject({ progress: { stage: "settled" } });
        }
      },
      { timeout: 5_000, interval: 20 },
    );
    expect([...arrived].toSorted()).toEqual(ids.toSorted());
  } finally {
    await workers.stop();
  }
});
