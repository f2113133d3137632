import { toJson } from "@bufbuild/protobuf";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findPayout } from "../payouts/store.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { resolvers } from "../test-resolutions.ts";

const merchantId = "mer_1";
const dayMs = 86_400_000;
let platform: TestPlatform;
let accountId = "";
let submits: string[];
let answers: { submit: RailReply["status"]; query: RailReply["status"] };

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.world.screening = ScreeningStatus.CLEARED;
  submits = [];
  answers = { submit: { kind: "accepted" }, query: { kind: "settled", reference: "R" } };
  platform.rails.current = testRail({
    submit: async (key) => {
      submits.push(key);
      return { status: answers.submit, pollAfterMs: 1_000 };
    },
    query: async () => ({ status: answers.query, pollAfterMs: 1_000 }),
  });
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

/** Counts the submissions of one payout; other tests' payouts are submitted too. */
const sent = (payoutId: string) => submits.filter((key) => key === payoutId).length;

/** Creates a payout whose beneficiary's screening changes after its execution. */
async function executeThen(screening: ScreeningStatus): Promise<string> {
  const id = await platform.execute(accountId, "order");
  platform.world.screening = screening;
  await platform.after(0);
  return id;
}

async function stateOf(payoutId: string) {
  const payout = await findPayout(platform.payouts, payoutId);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return {
    stage: payout?.progress.stage,
    exception: payout?.exception?.kind,
    balance: `${account?.available} + ${account?.held}`,
  };
}

async function waits(payoutId: string): Promise<string[]> {
  const found = await platform.history(payoutId);
  return (found?.lines ?? [])
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith("not sent"));
}

const queued = { stage: "queued", exception: undefined, balance: "90.00 + 10.00" };
const settled = { stage: "settled", exception: undefined, balance: "90.00 + 0.00" };

describe("a payout whose beneficiary is not cleared when it is to be sent", () => {
  it.each([
    ["review", ScreeningStatus.REVIEW],
    ["pending", ScreeningStatus.PENDING],
    ["pending", ScreeningStatus.UNSPECIFIED],
    ["pending", 99 as ScreeningStatus],
  ])(
    "is not sent while it is %s, and goes on by itself when it is cleared",
    async (name, status) => {
      const id = await executeThen(status);
      await platform.after(60_000);
      await platform.after(60_000);
      expect(submits).toEqual([]);
      expect(await stateOf(id)).toEqual(queued);
      expect(await waits(id)).toEqual([
        `not sent: the screening status of the beneficiary is ${name}`,
      ]);
      platform.world.screening = ScreeningStatus.CLEARED;
      // The pause is an eighth of the time waited: 15 s and an eighth of what the test itself took.
      await platform.after(30_000);
      expect(sent(id)).toBe(1);
      await platform.after(2_000);
      expect(await stateOf(id)).toEqual(settled);
      expect((await findPayout(platform.payouts, id))?.uncleared).toBeUndefined();
    },
  );

  it("stays unchanged for its merchant: queued, without an event", async () => {
    const id = await platform.execute(accountId, "order");
    const observed = async () => {
      const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: id });
      const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId: id });
      return [payout && toJson(PayoutSchema, payout), events];
    };
    const before = await observed();
    platform.world.screening = ScreeningStatus.BLOCKED;
    await platform.after(60_000);
    expect(await observed()).toEqual(before);
    expect((await platform.payouts.findOne({ _id: id }))?.outbox).toHaveLength(1);
  });

  it("raises an exception at once when it is blocked, and after long in review", async () => {
    const blocked = await executeThen(ScreeningStatus.BLOCKED);
    expect(await stateOf(blocked)).toEqual({ ...queued, exception: "stuck" });
    accountId = await platform.fundedAccount(merchantId, "100.00");
    platform.world.screening = ScreeningStatus.CLEARED;
    const inReview = await executeThen(ScreeningStatus.REVIEW);
    await platform.after(dayMs - 1_000);
    expect(await stateOf(inReview)).toEqual(queued);
    await platform.after(120_000);
    expect(await stateOf(inReview)).toEqual({ ...queued, exception: "stuck" });
    const { exceptions: payouts } = await platform.operatorRpc.listPayoutExceptions({
      limit: 100,
    });
    const listed = payouts.map(({ payout }) => payout?.id);
    expect(listed).toEqual(expect.arrayContaining([blocked, inReview]));
    platform.world.screening = ScreeningStatus.CLEARED;
    await platform.after(120_000);
    expect(await stateOf(inReview)).toMatchObject({ exception: undefined });
    expect([sent(blocked), sent(inReview)]).toEqual([1, 1]);
  });

  it("raises an exception at once when its beneficiary is missing, and continues if it reappears", async () => {
    const id = await platform.execute(accountId, "order");
    platform.world.isBeneficiaryGone = true;
    await platform.after(2_000);
    await platform.after(120_000);
    expect(await stateOf(id)).toEqual({ ...queued, exception: "stuck" });
    expect(await waits(id)).toEqual([
      "not sent: the screening status of the beneficiary is missing",
    ]);
    platform.world.isBeneficiaryGone = false;
    await platform.after(120_000);
    expect(sent(id)).toBe(1);
  });

  it("can be resolved as rejected by two operators, which releases the money", async () => {
    const payoutId = await executeThen(ScreeningStatus.BLOCKED);
    await resolvers(platform).resolve(payoutId);
    platform.world.screening = ScreeningStatus.CLEARED;
    await platform.after(120_000);
    expect(sent(payoutId)).toBe(0);
    const released = { stage: "rejected", exception: undefined, balance: "100.00 + 0.00" };
    expect(await stateOf(payoutId)).toEqual(released);
  });

  it("waits on, since the same moment, after its worker died", async () => {
    const id = await platform.execute(accountId, "order");
    platform.world.screening = ScreeningStatus.REVIEW;
    const { updateOne } = platform.payouts;
    const written = vi.spyOn(platform.payouts, "updateOne");
    // The lease and the wait are written. Then the process dies before it releases the lease.
    written
      .mockImplementationOnce(updateOne)
      .mockImplementationOnce(updateOne)
      .mockRejectedValue(new Error("killed"));
    await platform.work().catch(() => undefined);
    written.mockRestore();
    const since = (await findPayout(platform.payouts, id))?.uncleared?.since;
    expect(since).toBeInstanceOf(Date);
    await platform.after(9_000);
    await platform.after(60_000);
    expect((await findPayout(platform.payouts, id))?.uncleared).toEqual({
      status: "review",
      since,
    });
    expect(await waits(id)).toHaveLength(1);
    platform.world.screening = ScreeningStatus.CLEARED;
    await platform.after(60_000);
    expect(sent(id)).toBe(1);
  });

  it("records each screening status of its beneficiary", async () => {
    const id = await executeThen(ScreeningStatus.REVIEW);
    platform.world.screening = ScreeningStatus.BLOCKED;
    await platform.after(2_000);
    await platform.after(2_000);
    const statuses = ["review", "blocked"];
    const lines = statuses.map(
      (status) => `not sent: the screening status of the beneficiary is ${status}`,
    );
    expect(await waits(id)).toEqual(lines);
  });
});

describe("a payout that was submitted before", () => {
  it("is left to its rail", async () => {
    const id = await executeThen(ScreeningStatus.CLEARED);
    platform.world.screening = ScreeningStatus.BLOCKED;
    await platform.after(2_000);
    expect(await stateOf(id)).toEqual(settled);
  });

  it("is not sent again to a rail that never saw it, until its beneficiary is cleared", async () => {
    answers = { submit: { kind: "unknown" }, query: { kind: "not_received" } };
    const id = await executeThen(ScreeningStatus.CLEARED);
    platform.world.screening = ScreeningStatus.BLOCKED;
    await platform.after(60_000);
    await platform.after(60_000);
    expect(sent(id)).toBe(1);
    expect(await stateOf(id)).toMatchObject({ stage: "unknown", exception: "unknown" });
    expect(await waits(id)).toHaveLength(1);
    answers.submit = { kind: "accepted" };
    platform.world.screening = ScreeningStatus.CLEARED;
    await platform.after(60_000);
    expect(sent(id)).toBe(2);
    expect(await stateOf(id)).toMatchObject({ stage: "processing", exception: undefined });
  });
});
