import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { leasesOf, place, startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { Payouts } from "./document.ts";
import { leaseDue, leaseMs } from "./leases.ts";

const now = new Date("2026-03-01T10:00:00Z");
const clock = { now: () => now };
const by = { place, leasedMs: leaseMs };
let platform: TestPlatform;
let ids: string[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  for (let at = 0; at < 4; at += 1) ids.push(await platform.execute(accountId, `order-${at}`));
  // The order of ids differs from the order in which work is due.
  ids = ids.toReversed();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  for (const [at, _id] of ids.entries()) {
    const work_due_at = new Date(now.getTime() - 1_000 + at);
    await platform.payouts.updateOne({ _id }, { $set: { work_due_at }, $unset: { lease: "" } });
  }
});

/** Payouts that run a callback before each poll and after it. */
function watched(before: () => void, after: () => Promise<unknown>): Payouts {
  const { payouts } = platform;
  return Object.assign(Object.create(payouts), {
    find: (...given: Parameters<Payouts["find"]>) => {
      before();
      const found = payouts.find(...given);
      const toArray = found.toArray.bind(found);
      return Object.assign(found, {
        toArray: async () => {
          const documents = await toArray();
          await after();
          return documents;
        },
      });
    },
  });
}
const nothing = async () => undefined;

it("go to concurrent workers from one poll, the oldest due first", async () => {
  let polls = 0;
  const payouts = watched(() => {
    polls += 1;
  }, nothing);
  const leases = leasesOf(payouts, clock);
  const leased = await Promise.all([leases.next(), leases.next(), leases.next()]);
  expect(leased.map((each) => each?.payout.id)).toEqual(ids.slice(0, 3));
  expect(polls).toBe(1);
  const rest = await Promise.all([leases.next(), leases.next()]);
  expect(rest.map((each) => each?.payout.id)).toEqual([ids[3], undefined]);
  const tokens = [...leased, ...rest].flatMap((each) => each?.leaseToken ?? []);
  expect(new Set(tokens).size).toBe(4);
});

it("are sorted by due time even without an index", async () => {
  const plain: Payouts = platform.database.db.collection("payouts_without_index");
  await plain.insertMany(await platform.payouts.find().sort({ _id: 1 }).toArray());
  const leased = await leaseDue(plain, now, by, 3);
  expect(leased.map(({ payout }) => payout.id)).toEqual(ids.slice(0, 3));
});

it("fail for all waiting workers while the database is away, and succeed afterwards", async () => {
  let isCut = true;
  const payouts = watched(() => {
    if (isCut) throw new Error("cut");
  }, nothing);
  const leases = leasesOf(payouts, clock);
  const ends = await Promise.allSettled([leases.next(), leases.next()]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isCut = false;
  expect((await leases.next())?.payout.id).toBe(ids[0]);
});

it("belong to one process, even if two polled at the same time", async () => {
  const { payouts } = platform;
  const [first = ""] = ids;
  const stored = () => payouts.findOne({ _id: first });
  const elsewhere = { ...by, place: "second:8080" };
  const slow = watched(
    () => undefined,
    () => leaseDue(payouts, now, elsewhere, 1),
  );
  const leased = await leaseDue(slow, now, by, 2);
  expect(leased.map(({ payout }) => payout.id)).toEqual([ids[1]]);
  expect((await stored())?.lease?.place).toBe("second:8080");
  const { payout, origin } = leased[0]!;
  const second = await payouts.findOne({ _id: ids[1] ?? "" });
  expect(payout.revision).toBe(second?.revision);
  expect(origin.request_id).toBe(second?.request_id);
});

it("don't exist before the work is due, or for leased payouts", async () => {
  const { payouts } = platform;
  const at = (ms: number) => new Date(now.getTime() + ms);
  expect(await leaseDue(payouts, at(-1_001), by, 4)).toEqual([]);
  const onTakenOver = () => expect.unreachable("no lease has expired");
  expect(await leaseDue(payouts, at(-1_000), { ...by, onTakenOver }, 4)).toHaveLength(1);
  expect(await leaseDue(payouts, at(0), by, 4)).toHaveLength(3);
  expect(await leaseDue(payouts, at(leaseMs - 1_001), by, 4)).toEqual([]);
  let expired = 0;
  const onExpired = () => {
    expired += 1;
  };
  const counting = { ...by, onTakenOver: onExpired };
  expect(await leaseDue(payouts, at(leaseMs - 1_000), counting, 4)).toHaveLength(1);
  expect(expired).toBe(1);
});
