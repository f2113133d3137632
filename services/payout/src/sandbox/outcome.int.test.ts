import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { SandboxOutcome } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
const { SETTLED, REJECTED, RETURNED, UNKNOWN } = SandboxOutcome;
const dayMs = 86_400_000;
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

async function sent(referenceId = "order-1"): Promise<string> {
  const payoutId = await platform.execute(accountId, referenceId);
  await platform.work();
  return payoutId;
}

type More = { failureCode?: string; railCode?: string; merchantId?: string };

async function set(payoutId: string, outcome: SandboxOutcome, more: More = {}) {
  const request = { mutation: platform.operation(), merchantId, payoutId, outcome, ...more };
  const { payout } = await platform.sandboxRpc.setPayoutOutcome(request);
  return payout;
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

async function balance(): Promise<string> {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return `${account?.available} + ${account?.held}`;
}

describe("a payout at its rail", () => {
  it("is settled now", async () => {
    const payoutId = await sent();
    const payout = await set(payoutId, SETTLED);
    expect(payout).toMatchObject({ subStatus: PayoutSubStatus.SETTLED, version: 2 });
    expect(payout?.uniqueTransactionReference).toMatch(/^SBX\d{12}$/);
    expect(await balance()).toBe("90.00 + 0.00");
    await platform.after(dayMs);
    expect((await platform.history(payoutId))?.payout).toMatchObject({
      ...{ version: 2, exception: undefined },
    });
  });

  it.each([
    [{ failureCode: "ACCOUNT_CLOSED", railCode: "AC04" }, "ACCOUNT_CLOSED", "AC04"],
    [{ failureCode: "REGULATORY" }, "REGULATORY", ""],
    [{}, "BENEFICIARY_BANK_REJECTED", "MS03"],
  ])("fails now with %j", async (why, failureCode, railCode) => {
    const payout = await set(await sent(), REJECTED, why);
    expect(payout).toMatchObject({ subStatus: PayoutSubStatus.REJECTED, failureCode, railCode });
    expect(await balance()).toBe("100.00 + 0.00");
  });

  it.each([
    ["sandbox-batch", SETTLED, PayoutSubStatus.SETTLED],
    ["sandbox-callback", REJECTED, PayoutSubStatus.REJECTED],
    ["sandbox-late-return", SETTLED, PayoutSubStatus.SETTLED],
    ["sandbox-contradict", RETURNED, PayoutSubStatus.RETURNED],
  ])("that was to go another way (%s) goes this way alone", async (reference, outcome, end) => {
    const payoutId = await sent(reference);
    expect(await set(payoutId, outcome)).toMatchObject({ subStatus: end });
    await platform.after(10 * dayMs);
    const after = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(after.payout?.subStatus).toBe(end);
    expect((await platform.history(payoutId))?.payout.exception).toBeUndefined();
  });

  it("returns now, settled or not, even days later", async () => {
    const fresh = await set(await sent(), RETURNED);
    expect(fresh).toMatchObject({ subStatus: PayoutSubStatus.RETURNED, version: 3 });
    expect(fresh?.failureCode).toBe("ACCOUNT_CLOSED");
    const payoutId = await sent();
    await platform.after(3 * dayMs);
    const before = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(before.payout?.subStatus).toBe(PayoutSubStatus.SETTLED);
    const returned = await set(payoutId, RETURNED, { failureCode: "BENEFICIARY_REFUSED" });
    expect(returned).toMatchObject({
      ...{ subStatus: PayoutSubStatus.RETURNED, failureCode: "BENEFICIARY_REFUSED", railCode: "" },
      returnedReference: before.payout?.uniqueTransactionReference,
    });
    expect(await balance()).toBe("100.00 + 0.00");
  });

  it("stays unknown until another outcome is set", async () => {
    const payoutId = await sent();
    expect((await set(payoutId, UNKNOWN))?.subStatus).toBe(PayoutSubStatus.UNKNOWN);
    await platform.after(dayMs);
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(payout?.subStatus).toBe(PayoutSubStatus.UNKNOWN);
    expect(await balance()).toBe("90.00 + 10.00");
    expect((await set(payoutId, SETTLED))?.subStatus).toBe(PayoutSubStatus.SETTLED);
    expect((await platform.history(payoutId))?.payout.exception).toBeUndefined();
  });

  it("that was stuck reports", async () => {
    const payoutId = await sent("sandbox-silent");
    await platform.after(dayMs);
    expect((await set(payoutId, REJECTED))?.subStatus).toBe(PayoutSubStatus.REJECTED);
  });
});

describe("a refused request changes nothing", () => {
  it("of a payout at another end, and raises no exception", async () => {
    const settled = await sent();
    await set(settled, SETTLED);
    expect(await codeOf(set(settled, REJECTED))).toBe("STATE_NOT_REACHABLE");
    expect(await codeOf(set(settled, UNKNOWN))).toBe("STATE_NOT_REACHABLE");
    const rejected = await sent();
    await set(rejected, REJECTED);
    expect(await codeOf(set(rejected, SETTLED))).toBe("STATE_NOT_REACHABLE");
    expect(await codeOf(set(rejected, RETURNED))).toBe("STATE_NOT_REACHABLE");
    await platform.after(dayMs);
    for (const id of [settled, rejected]) {
      expect((await platform.history(id))?.payout).toMatchObject({
        ...{ version: 2, exception: undefined },
      });
    }
  });

  it("of a payout that settled by itself", async () => {
    const payoutId = await sent();
    await platform.after(1_000);
    expect(await codeOf(set(payoutId, REJECTED))).toBe("STATE_NOT_REACHABLE");
  });

  it("of a cancelled payout, of one that is not there, and of another merchant's", async () => {
    const payoutId = await sent("sandbox-batch");
    await platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId, payoutId });
    expect(await codeOf(set(payoutId, SETTLED))).toBe("STATE_NOT_REACHABLE");
    expect(await codeOf(set("po_none", SETTLED))).toBe("RECORD_NOT_FOUND");
    const foreign = set(await sent(), SETTLED, { merchantId: "mer_2" });
    expect(await codeOf(foreign)).toBe("RECORD_NOT_FOUND");
  });

  it.each([
    [{ failureCode: "CANCELLED" }],
    [{ failureCode: "nonsense" }],
    [{ railCode: "AC04" }],
    [{ failureCode: "REGULATORY", railCode: "a b" }],
  ])("of fields: %j", async (fields) => {
    expect(await codeOf(set(await sent(), REJECTED, fields))).toBe("INVALID_REQUEST");
    expect(await codeOf(set(await sent(), SandboxOutcome.UNSPECIFIED))).toBe("INVALID_REQUEST");
  });
});

it("a repeat returns the same result, and the money moves once", async () => {
  const payoutId = await sent();
  const mutation = platform.operation();
  const request = { mutation, merchantId, payoutId, outcome: SETTLED };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => platform.sandboxRpc.setPayoutOutcome(request)),
  );
  expect(new Set(answers.map(({ payout }) => payout?.version))).toEqual(new Set([2]));
  const { totalCount } = await platform.rpc.listEntries({ merchantId, accountId, payoutId });
  expect([await balance(), Number(totalCount)]).toEqual(["90.00 + 0.00", 2]);
  const other = { ...request, outcome: REJECTED };
  expect(await codeOf(platform.sandboxRpc.setPayoutOutcome(other))).toBe("INVALID_REQUEST");
});

it("of two outcomes at once one is set, and the other refused", async () => {
  const payoutId = await sent();
  const codes = await Promise.all([
    codeOf(set(payoutId, SETTLED)),
    codeOf(set(payoutId, REJECTED)),
  ]);
  expect(codes.toSorted()).toEqual(["OK", "STATE_NOT_REACHABLE"]);
  await platform.after(dayMs);
  expect((await platform.history(payoutId))?.payout.exception).toBeUndefined();
});

it("the rail's outcome is stored and reported after a crash", async () => {
  const payoutId = await sent();
  await platform.after(1_000);
  const transfers = platform.database.db.collection<{ _id: string }>("sandbox_transfers");
  const { callback } = platform.faults;
  platform.faults.callback = () => {
    throw new Error("killed");
  };
  const cut = set(payoutId, RETURNED);
  await expect(cut).rejects.toThrow();
  expect(await transfers.findOne({ _id: payoutId })).toMatchObject({
    pending: [{ message: { outcome: "returned" } }],
  });
  platform.faults.callback = callback;
  await platform.after(1);
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
  expect(payout?.subStatus).toBe(PayoutSubStatus.RETURNED);
});
