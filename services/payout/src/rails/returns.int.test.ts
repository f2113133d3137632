import { RailOutcome } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.rails.current = platform.sandboxRail;
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

async function execute(referenceId: string): Promise<string> {
  const quoteId = platform.quote(accountId);
  const mutation = platform.operation();
  return (await platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId }))
    .payoutId;
}

async function after(ms: number) {
  platform.world.offsetMs += ms;
  await platform.work();
}

/** Creates a rail that accepts, then replies to polls from a script; the last reply repeats. */
function answering(answers: (RailReply["status"] | Error)[]) {
  platform.rails.current = testRail({
    submit: async () => ({ status: { kind: "accepted" }, pollAfterMs: 1_000 }),
    query: async () => {
      const status = answers.length > 1 ? answers.shift() : answers[0];
      if (status === undefined || status instanceof Error) throw status;
      return { status, pollAfterMs: 1_000 };
    },
  });
}

/** Returns the account's steps and the merchant's events, in order. */
async function story(payoutId: string) {
  const { entries } = await platform.rpc.listEntries({ merchantId, accountId });
  const stored = await platform.payouts.findOne({ _id: payoutId });
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return {
    moved: entries.filter((entry) => entry.payoutId === payoutId).length,
    stage: stored?.progress.stage,
    events: stored?.outbox.map(({ key }) => key),
    balance: `${account?.available} + ${account?.held}`,
  };
}

const cameBack = {
  moved: 3,
  stage: "returned",
  events: ["payout.initiated", "payout.succeeded", "payout.failed"],
  balance: "100.00 + 0.00",
};

describe("a payout that was returned", () => {
  it("between two polls, succeeds first and then fails", async () => {
    const id = await execute("sandbox-return-1");
    await after(0);
    await after(2_100);
    expect(await story(id)).toEqual(cameBack);
  });

  it.each<[string, (RailReply["status"] | Error)[]]>([
    ["at the first question", [{ kind: "returned" }]],
    ["after an unknown outcome", [new Error("cut"), { kind: "returned", reference: "R" }]],
    ["though one question failed", [settled(), new Error("cut"), { kind: "returned" }]],
    ["though the rail could not tell once", [settled(), { kind: "unknown" }, { kind: "returned" }]],
  ])("%s, is re-credited once", async (_what, answers) => {
    answering(answers);
    const id = await execute("order");
    await after(0);
    for (let asked = 0; asked < 5; asked += 1) await after(61_000);
    expect(await story(id)).toEqual(cameBack);
  });

  it("has an exception if its rail reports a contradiction after the return", async () => {
    answering([{ kind: "returned", reference: "R" }]);
    const id = await execute("order");
    await after(0);
    for (let asked = 0; asked < 3; asked += 1) await after(61_000);
    expect(await story(id)).toEqual(cameBack);
    platform.rails.current = testRail({
      query: async () => ({
        ...{ status: { kind: "returned", reference: "R" }, contradiction: "taken back" },
      }),
    });
    await platform.callForWork([id]);
    await after(1_000);
    expect(await story(id)).toEqual(cameBack);
    const stored = await platform.payouts.findOne({ _id: id });
    expect(stored?.exception?.kind).toBe("contradicted");
    expect(stored?.work_due_at).toBeUndefined();
  });

  it("by callback between the settlement and its posting, is re-credited once", async () => {
    answering([{ kind: "accepted" }]);
    const id = await execute("order");
    await after(0);
    const report = (outcome: RailOutcome) =>
      platform.rpc.reportRailOutcome({
        mutation: platform.operation(),
        payoutId: id,
        outcome,
        transactionReference: "R",
      });
    await report(RailOutcome.SETTLED);
    await report(RailOutcome.RETURNED);
    await report(RailOutcome.RETURNED);
    await after(0);
    expect(await story(id)).toEqual(cameBack);
  });
});

function settled() {
  return { kind: "settled", reference: "R" } as const;
}
