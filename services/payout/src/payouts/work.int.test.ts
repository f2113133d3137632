import { afterAll, beforeAll, expect, it } from "vitest";
import { deferMaxMs } from "../rails/steps.ts";
import { place, startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { leaseDue } from "./leases.ts";
import { findPayout } from "./store.ts";
import { advance, annotate, freeLeases, recallWork, release } from "./work.ts";

const merchantId = "mer_1";
const leaseMs = 30_000;
const leaseOne = async (at: Date, by: string) =>
  (await leaseDue(platform.payouts, at, { place: by, leasedMs: leaseMs }, 1))[0];
let platform: TestPlatform;
let payoutId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  ({ payoutId } = await platform.rpc.executePayout({ mutation, merchantId, quoteId }));
});
afterAll(() => platform.stop());

it("is one worker's until it ends; then the next one's, and the first changes nothing", async () => {
  const { payouts } = platform;
  const stored = () => payouts.findOne({ _id: payoutId });
  const now = new Date(Date.now() + 1_000);
  const later = (ms: number) => new Date(now.getTime() + ms);
  const first = await leaseOne(now, place);
  expect(first?.payout.id).toBe(payoutId);
  expect(await leaseOne(later(leaseMs - 1), place)).toBeUndefined();
  const second = await leaseOne(later(leaseMs), place);
  if (first === undefined || second === undefined) return expect.unreachable("not leased");
  const before = await stored();
  const at = later(leaseMs);
  const step = { cause: "submitted", detail: "late", at, work: "done" } as const;
  expect(await advance(payouts, first.payout, { stage: "submitting" }, step)).toBeUndefined();
  await release(payouts, first, { work: "done" });
  expect(await stored()).toEqual(before);
  const own = { ...step, work: { leasedUntil: later(3 * leaseMs) } };
  const moved = await advance(payouts, second.payout, { stage: "submitting" }, own);
  expect(moved?.payout.progress.stage).toBe("submitting");
  expect(moved).not.toHaveProperty("changed");
  expect(await leaseOne(later(3 * leaseMs - 1), place)).toBeUndefined();
  expect(await advance(payouts, second.payout, { stage: "processing" }, own)).toBeUndefined();
  await release(payouts, second, { work: later(1) });
  expect((await stored())?.lease).toBeUndefined();
});

it("ends when its worker's process starts again, and no other one", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 30_000);
  const killed = await leaseOne(now, place);
  const elsewhere = "second:8080";
  await freeLeases(payouts, elsewhere);
  expect(await leaseOne(now, elsewhere)).toBeUndefined();
  await freeLeases(payouts, place);
  const next = await leaseOne(now, elsewhere);
  if (killed === undefined || next === undefined) return expect.unreachable("not leased");
  const step = { cause: "accepted", detail: "late", at: now, work: "done" } as const;
  expect(await advance(payouts, killed.payout, { stage: "processing" }, step)).toBeUndefined();
  await release(payouts, next, { work: now });
});

it("counts as expired when it ends later than a correct clock can set", async () => {
  const now = new Date(Date.now() + 60_000);
  const wrong = new Date(now.getTime() + 86_400_000);
  const late = await leaseOne(wrong, place);
  expect(late?.payout.id).toBe(payoutId);
  expect((await leaseOne(now, place))?.payout.id).toBe(payoutId);
  expect(await leaseOne(now, place)).toBeUndefined();
});

it("is due now if a wrong clock deferred the work for a day, and not otherwise", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 300_000);
  const due = async () => (await payouts.findOne({ _id: payoutId }))?.work_due_at;
  const putOff = (ms: number) =>
    payouts.updateOne({ _id: payoutId }, { $set: { work_due_at: new Date(now.getTime() + ms) } });
  await putOff(deferMaxMs);
  await recallWork(payouts, now, deferMaxMs);
  expect(await due()).toEqual(new Date(now.getTime() + deferMaxMs));
  await putOff(86_400_000);
  await recallWork(payouts, now, deferMaxMs);
  expect(await due()).toEqual(now);
  await payouts.updateOne({ _id: payoutId }, { $set: { status: "succeeded" } });
  await putOff(86_400_000);
  await recallWork(payouts, now, deferMaxMs);
  expect(await due()).toEqual(new Date(now.getTime() + 86_400_000));
});

it("is due now if a wrong clock deferred it past the expiry of an approval", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 300_000);
  const later = (ms: number) => new Date(now.getTime() + ms);
  const expires_at = later(86_400_000);
  const waiting = {
    status: "initiated" as const,
    progress: { stage: "awaiting_approval" as const },
    approval: { reasons: ["amount" as const], digest: "", expires_at },
  };
  const before = await payouts.findOne({ _id: payoutId });
  const putOff = async (work_due_at: Date) => {
    await payouts.updateOne({ _id: payoutId }, { $set: { ...waiting, work_due_at } });
    await recallWork(payouts, now, deferMaxMs);
    return (await payouts.findOne({ _id: payoutId }))?.work_due_at;
  };
  expect(await putOff(expires_at)).toEqual(expires_at);
  expect(await putOff(later(86_400_000 + 3_600_000))).toEqual(now);
  if (before === null) return expect.unreachable("the payout is gone");
  await payouts.replaceOne({ _id: payoutId }, before);
});

it("raises an exception on the revision that was read, and keeps one raised meanwhile", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 600_000);
  await payouts.updateOne({ _id: payoutId }, { $set: { work_due_at: now } });
  const leased = await leaseOne(now, place);
  if (leased === undefined) return expect.unreachable("not leased");
  const contradicted = { kind: "contradicted", since: now } as const;
  expect(await annotate(payouts, leased.payout, { exception: contradicted })).toBe(true);
  const stuck = { kind: "stuck", since: now } as const;
  expect(await annotate(payouts, leased.payout, { exception: stuck })).toBe(false);
  await release(payouts, leased, { work: "done", exception: stuck });
  const payout = await findPayout(payouts, payoutId);
  expect(payout?.exception).toEqual(contradicted);
  const stored = await payouts.findOne({ _id: payoutId });
  expect(stored?.lease).toBeUndefined();
  // The work stays due, so that the next worker finds the reason of the lost exception again.
  expect(stored?.work_due_at).toEqual(now);
});

it("advances with the event of its status, as it is stored", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 900_000);
  await payouts.updateOne({ _id: payoutId }, { $set: { work_due_at: now, status: "initiated" } });
  const leased = await leaseOne(now, place);
  if (leased === undefined) return expect.unreachable("not leased");
  const step = { cause: "rejected", detail: "late", at: now, work: "done" } as const;
  const moved = await advance(payouts, leased.payout, { stage: "rejected" }, step);
  const stored = await payouts.findOne({ _id: payoutId });
  expect(moved?.event).toMatchObject({ key: "payout.failed", at: now });
  expect(stored?.outbox.at(-1)).toEqual(moved?.event);
});
