import type { Preflight, Rail, RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";

let platform: TestPlatform;
let accountId = "";
/** The results of the rail's checks; the last one repeats. */
let checks: (Preflight | Error)[];
let asked: number;
let submitted: string[];
let status: RailReply["status"];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  await platform.payouts.deleteMany({});
  platform.world.offsetMs = 0;
  checks = [];
  asked = 0;
  submitted = [];
  status = { kind: "accepted" };
  accountId = await platform.fundedAccount("mer_1", "100.00");
  platform.rails.current = testRail({
    preflight: async ({ accountNumber }) => {
      expect(accountNumber).not.toBe("");
      asked += 1;
      const check = checks.length > 1 ? checks.shift() : checks[0];
      if (check === undefined || check instanceof Error) throw check;
      return check;
    },
    submit: async (key) => {
      submitted.push(key);
      return { status: { kind: "accepted" }, pollAfterMs: 1_000 };
    },
    query: async () => ({ status, pollAfterMs: 1_000 }),
  });
});

async function read(payoutId: string) {
  const { payout } = await platform.rpc.getPayout({ merchantId: "mer_1", payoutId });
  const { account } = await platform.rpc.getAccount({ merchantId: "mer_1", accountId });
  const found = await platform.payouts.findOne({ _id: payoutId });
  return {
    stage: found?.progress.stage,
    failure: payout?.failureCode,
    exception: found?.exception?.kind,
    available: account?.available,
    held: account?.held,
  };
}

const held = { failure: "", exception: undefined, available: "90.00", held: "10.00" };

describe("a payout whose rail checks it first", () => {
  it("is submitted if the rail passes it", async () => {
    checks = [{ kind: "ok" }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(submitted).toEqual([id]);
    expect(await read(id)).toEqual({ ...held, stage: "processing" });
  });

  it("waits while the rail requests it, then is submitted", async () => {
    checks = [{ kind: "wait", reason: "recipient has no token account yet" }, { kind: "ok" }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(submitted).toEqual([]);
    expect(await read(id)).toEqual({ ...held, stage: "queued" });
    const found = await platform.payouts.findOne({ _id: id });
    expect(found?.calls?.at(-1)).toMatchObject({
      said: "not sent: recipient has no token account yet",
    });
    await platform.after(60_000);
    expect(submitted).toEqual([id]);
  });

  it("gets an exception if it waits for too long", async () => {
    checks = [{ kind: "wait", reason: "recipient has no token account yet" }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    await platform.after(2 * 86_400_000);
    expect(await read(id)).toEqual({ ...held, stage: "queued", exception: "stuck" });
  });

  it("fails if the rail refuses it, and its hold is released", async () => {
    checks = [{ kind: "refuse", failure: { code: "INVALID_ACCOUNT", railCode: "not a wallet" } }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    await platform.after(0);
    const released = { exception: undefined, available: "100.00", held: "0.00" };
    expect(await read(id)).toEqual({ ...released, stage: "rejected", failure: "INVALID_ACCOUNT" });
    await platform.after(86_400_000);
    expect([submitted, asked]).toEqual([[], 1]);
  });

  it("fails if the rail refuses it while it waits for money at the rail", async () => {
    checks = [{ kind: "ok" }, { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } }];
    platform.rails.current = { ...(platform.rails.current as Rail), isFunded: true };
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(await read(id)).toEqual({ ...held, stage: "awaiting_funds" });
    await platform.after(60_000);
    const released = { exception: undefined, available: "100.00", held: "0.00" };
    expect(await read(id)).toEqual({ ...released, stage: "rejected", failure: "INVALID_ACCOUNT" });
    const { accounts } = await platform.operatorRpc.listRailAccounts({ rail: "scripted" });
    expect(accounts.map(({ held: amount }) => amount)).not.toContain("10.00");
    expect(submitted).toEqual([]);
  });

  it("waits if the rail does not answer", async () => {
    checks = [new Error("away"), { kind: "ok" }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    expect(await read(id)).toEqual({ ...held, stage: "queued" });
    await platform.after(60_000);
    expect(submitted).toEqual([id]);
  });

  it("is not refused once the rail may have it, even if the rail has lost it", async () => {
    checks = [{ kind: "ok" }, { kind: "refuse", failure: { code: "INVALID_ACCOUNT" } }];
    const id = await platform.execute(accountId, "order");
    await platform.after(0);
    status = { kind: "not_received" };
    await platform.after(60_000);
    expect(submitted.length).toBeGreaterThan(1);
    expect(new Set(submitted)).toEqual(new Set([id]));
    expect(asked).toBe(1);
    expect(await read(id)).toEqual({ ...held, stage: "processing" });
  });
});
