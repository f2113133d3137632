import { afterAll, beforeAll, expect, it } from "vitest";
import { deferMaxMs } from "../rails/steps.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openPayoutStore } from "./store.ts";

const merchantId = "mer_1";
const leaseMs = 30_000;
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
  const stored = () => payouts.collection.findOne({ _id: payoutId });
  const now = new Date(Date.now() + 1_000);
  const later = (ms: number) => new Date(now.getTime() + ms);
  const first = await payouts.leaseDue(now, leaseMs);
  expect(first?.payout.id).toBe(payoutId);
  expect(await payouts.leaseDue(later(leaseMs - 1), leaseMs)).toBeUndefined();
  const second = await payouts.leaseDue(later(leaseMs), leaseMs);
  if (first === undefined || second === undefined) return expect.unreachable("not leased");
  const before = await stored();
  const at = later(leaseMs);
  const step = { cause: "submitted", detail: "late", at, work: "done" } as const;
  expect(await payouts.advance(first.payout, { stage: "submitting" }, step)).toBeUndefined();
  await payouts.release(first, { work: "done" });
  expect(await stored()).toEqual(before);
  const own = { ...step, work: { leasedUntil: later(3 * leaseMs) } };
  const moved = await payouts.advance(second.payout, { stage: "submitting" }, own);
  expect(moved?.progress.stage).toBe("submitting");
  expect(await payouts.leaseDue(later(3 * leaseMs - 1), leaseMs)).toBeUndefined();
  expect(await payouts.advance(second.payout, { stage: "processing" }, own)).toBeUndefined();
  await payouts.release(second, { work: later(1) });
  expect((await stored())?.lease).toBeUndefined();
});

it("ends when its worker's place starts again, and at no other place", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 30_000);
  const killed = await payouts.leaseDue(now, leaseMs);
  const elsewhere = await openPayoutStore(platform.database, "second:8080", platform.worker.clock);
  await elsewhere.freeLeases();
  expect(await elsewhere.leaseDue(now, leaseMs)).toBeUndefined();
  await payouts.freeLeases();
  const next = await elsewhere.leaseDue(now, leaseMs);
  if (killed === undefined || next === undefined) return expect.unreachable("not leased");
  const step = { cause: "accepted", detail: "late", at: now, work: "done" } as const;
  expect(await payouts.advance(killed.payout, { stage: "processing" }, step)).toBeUndefined();
  await elsewhere.release(next, { work: now });
});

it("binds nobody when it ends later than any honest one: a clock was wrong", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 60_000);
  const wrong = new Date(now.getTime() + 86_400_000);
  const late = await payouts.leaseDue(wrong, leaseMs);
  expect(late?.payout.id).toBe(payoutId);
  expect((await payouts.leaseDue(now, leaseMs))?.payout.id).toBe(payoutId);
  expect(await payouts.leaseDue(now, leaseMs)).toBeUndefined();
});

it("is due again soon where a wrong clock put the work off for a day, and at no other time", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 300_000);
  const due = async () => (await payouts.collection.findOne({ _id: payoutId }))?.work_due_at;
  const putOff = (ms: number) =>
    payouts.collection.updateOne(
      { _id: payoutId },
      { $set: { work_due_at: new Date(now.getTime() + ms) } },
    );
  await putOff(deferMaxMs);
  await payouts.recallWork(now, deferMaxMs);
  expect(await due()).toEqual(new Date(now.getTime() + deferMaxMs));
  await putOff(86_400_000);
  await payouts.recallWork(now, deferMaxMs);
  expect(await due()).toEqual(now);
  await payouts.collection.updateOne({ _id: payoutId }, { $set: { status: "succeeded" } });
  await putOff(86_400_000);
  await payouts.recallWork(now, deferMaxMs);
  expect(await due()).toEqual(new Date(now.getTime() + 86_400_000));
});

it("raises a doubt on what was read alone, and ends with no other's doubt", async () => {
  const { payouts } = platform;
  const now = new Date(Date.now() + 600_000);
  await payouts.collection.updateOne({ _id: payoutId }, { $set: { work_due_at: now } });
  const leased = await payouts.leaseDue(now, leaseMs);
  if (leased === undefined) return expect.unreachable("not leased");
  const contradicted = { kind: "contradicted", since: now } as const;
  expect(await payouts.note(leased.payout, { doubt: contradicted })).toBe(true);
  const stuck = { kind: "stuck", since: now } as const;
  expect(await payouts.note(leased.payout, { doubt: stuck })).toBe(false);
  await payouts.release(leased, { work: now, doubt: stuck });
  const payout = await payouts.findPayout(payoutId);
  expect(payout?.doubt).toEqual(contradicted);
  const stored = await payouts.collection.findOne({ _id: payoutId });
  expect(stored?.lease).toBeUndefined();
});
