import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";

let platform: TestPlatform;
let accountId = "";
let submitted = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  submitted = 0;
  accountId = await platform.fundedAccount("mer_1", "100.00");
});

/** Creates a payout that its rail rejects, with the rail's later replies; the last one repeats. */
async function rejected(first: RailReply, ...later: (RailReply | Error)[]): Promise<string> {
  const answers: (RailReply | Error)[] = [first, ...later];
  platform.rails.current = testRail({
    submit: async () => {
      submitted += 1;
      return { status: { kind: "accepted" }, pollAfterMs: 1_000 };
    },
    query: async () => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
  });
  const id = await platform.execute(accountId, "order");
  await platform.after(0);
  await platform.after(2_000);
  return id;
}

async function stateOf(id: string) {
  const found = await platform.payouts.findOne({ _id: id });
  const { account } = await platform.rpc.getAccount({ merchantId: "mer_1", accountId });
  return {
    stage: found?.progress.stage,
    exception: found?.exception?.kind,
    isPolled: found?.work_due_at !== undefined,
    available: account?.available,
  };
}

const rejection: RailReply = { status: { kind: "rejected" } };
const watched: RailReply = { ...rejection, pollAfterMs: 30_000 };
const ended = { stage: "rejected", exception: undefined, isPolled: false, available: "100.00" };

describe("a payout that its rail rejected", () => {
  it("is not polled where the rail does not ask for it", async () => {
    expect(await stateOf(await rejected(rejection))).toEqual(ended);
  });

  it("is polled until the rail has watched it for long enough", async () => {
    const id = await rejected(watched, watched, rejection);
    expect(await stateOf(id)).toEqual({ ...ended, isPolled: true });
    await platform.after(31_000);
    expect(await stateOf(id)).toEqual({ ...ended, isPolled: true });
    await platform.after(120_000);
    expect(await stateOf(id)).toEqual(ended);
  });

  it.each<[string, RailReply]>([
    ["what it followed from is gone", { ...watched, contradiction: "the transaction left" }],
    ["it was paid after all", { status: { kind: "settled", reference: "R" }, pollAfterMs: 1_000 }],
  ])("stays rejected, and is contradicted, where %s", async (_what, answer) => {
    const id = await rejected(watched, answer);
    await platform.after(31_000);
    expect(await stateOf(id)).toMatchObject({
      ...{ stage: "rejected", exception: "contradicted", available: "100.00" },
    });
  });

  it.each<[string, RailReply | Error]>([
    ["has forgotten it", { status: { kind: "not_received" } }],
    ["has it still", { status: { kind: "accepted" } }],
    ["does not know", { status: { kind: "unknown" } }],
  ])("is neither sent again nor contradicted where the rail %s", async (_what, answer) => {
    const id = await rejected(watched, answer);
    await platform.after(31_000);
    expect(await stateOf(id)).toEqual(ended);
    expect(submitted).toBe(1);
  });

  it("is not reissued once its rail reports a contradiction after the end", async () => {
    const id = await rejected(rejection, { ...rejection, contradiction: "debited" });
    expect(await stateOf(id)).toEqual(ended);
    await platform.callForWork([id]);
    await platform.after(1_000);
    expect(await stateOf(id)).toEqual({ ...ended, exception: "contradicted" });
    const request = { mutation: platform.operation(), merchantId: "mer_1", payoutId: id };
    const refusal = await platform.rpc.reissuePayout(request).catch(readRefusal);
    expect(refusal).toMatchObject({ code: "STATE_NOT_REACHABLE" });
  });

  it("has an exception if its rail reports a contradiction after a cancellation", async () => {
    const open: RailReply = { status: { kind: "accepted" } };
    const id = await rejected(open, rejection, { ...rejection, contradiction: "debited" });
    const { current } = platform.rails;
    platform.rails.current = current && { ...current, withdraw: async () => true };
    const cancelling = { mutation: platform.operation(), merchantId: "mer_1", payoutId: id };
    await platform.rpc.cancelPayout(cancelling);
    expect(await stateOf(id)).toEqual({ ...ended, stage: "cancelled" });
    await platform.callForWork([id]);
    await platform.after(1_000);
    expect(await stateOf(id)).toEqual({
      ...{ ...ended, stage: "cancelled", exception: "contradicted" },
    });
  });

  it("is polled on where the rail does not answer", async () => {
    const id = await rejected(watched, new Error("away"), rejection);
    await platform.after(31_000);
    expect(await stateOf(id)).toEqual({ ...ended, isPolled: true });
    await platform.after(60_000);
    expect(await stateOf(id)).toEqual(ended);
  });
});
