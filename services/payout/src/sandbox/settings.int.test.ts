import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { SandboxOutcome } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  accountId = await platform.fundedAccount(merchantId, "1000.00");
  await end();
});

const end = () =>
  platform.sandboxRpc.endRailSilence({ mutation: platform.operation(), merchantId });
const silence = (kind: string, seconds = 60, of = merchantId) =>
  platform.sandboxRpc.setRailSilence({
    ...{ mutation: platform.operation(), merchantId: of, kind, seconds },
  });
const scenario = (change: object, of = merchantId) =>
  platform.sandboxRpc.setScenario({
    ...{ mutation: platform.operation(), merchantId: of, seed: 7, ...change },
  });

async function subStatusOf(payoutId: string) {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
  return payout?.subStatus;
}

describe("a silence of rails", () => {
  it.each([
    ["no_answer", PayoutSubStatus.UNKNOWN],
    ["down", PayoutSubStatus.QUEUED],
    ["unfunded", PayoutSubStatus.AWAITING_FUNDS],
  ])("%s holds the merchant's payouts until it is ended", async (kind, held) => {
    await silence(kind);
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    expect(await subStatusOf(payoutId)).toBe(held);
    await platform.after(5_000);
    expect(await subStatusOf(payoutId)).toBe(held);
    await end();
    await platform.after(0);
    expect(await subStatusOf(payoutId)).toBe(PayoutSubStatus.PROCESSING);
    await platform.after(1_000);
    expect(await subStatusOf(payoutId)).toBe(PayoutSubStatus.SETTLED);
  });

  it("ends by itself, and is no matter of another merchant", async () => {
    await silence("down", 60, "mer_2");
    const free = await platform.execute(accountId, "order");
    await platform.work();
    expect(await subStatusOf(free)).toBe(PayoutSubStatus.PROCESSING);
    await silence("down", 3);
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    expect(await subStatusOf(payoutId)).toBe(PayoutSubStatus.QUEUED);
    await platform.after(10_000);
    expect(await subStatusOf(payoutId)).toBe(PayoutSubStatus.PROCESSING);
  });

  it.each([
    ["odd", 60],
    ["down", 0],
    ["down", 86_401],
  ])("%s for %i s is refused", async (...asked) => {
    const failed = silence(...asked).then(() => undefined, readRefusal);
    expect((await failed)?.code).toBe("INVALID_REQUEST");
  });
});

describe("a scenario", () => {
  /** Returns the outcomes of several payouts, one after another. */
  async function outcomes(count: number): Promise<(PayoutSubStatus | undefined)[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      ids.push(await platform.execute(accountId, `order-${n}`));
      await platform.work();
    }
    await platform.after(1_000);
    await platform.after(2_000);
    return Promise.all(ids.map(subStatusOf));
  }

  it("brings the same to the same payouts, in order", async () => {
    const shares = { failPercent: 30, returnPercent: 30, doubtPercent: 20, maxDelayMs: 500 };
    await scenario(shares);
    const first = await outcomes(12);
    await scenario(shares);
    expect(await outcomes(12)).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(2);
    await scenario({});
    expect(new Set(await outcomes(3))).toEqual(new Set([PayoutSubStatus.SETTLED]));
  });

  it("doesn't affect named scenarios and steered payouts", async () => {
    await scenario({ failPercent: 100 });
    const named = await platform.execute(accountId, "sandbox-settle");
    await platform.work();
    await platform.after(1_000);
    expect(await subStatusOf(named)).toBe(PayoutSubStatus.SETTLED);
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    const outcome = SandboxOutcome.SETTLED;
    const mutation = platform.operation();
    await platform.sandboxRpc.setPayoutOutcome({ mutation, merchantId, payoutId, outcome });
    expect(await subStatusOf(payoutId)).toBe(PayoutSubStatus.SETTLED);
    await scenario({});
  });

  it.each([[{ failPercent: 60, returnPercent: 41 }], [{ seed: -1 }], [{ failPercent: 101 }]])(
    "of %j is refused",
    async (change) => {
      const failed = scenario(change).then(() => undefined, readRefusal);
      expect((await failed)?.code).toBe("INVALID_REQUEST");
    },
  );
});
