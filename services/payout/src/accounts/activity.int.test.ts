import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { LedgerStep } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const merchantId = "mer_1";

it("the activity of an account has its movements and balances of today", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const movement = { step: "hold", amount: 1_250n, payoutId: "po_1", note: "" } as const;
  await platform.ledger.apply({ merchantId, accountId }, movement);
  const { activity } = await platform.rpc.getAccountActivity({ merchantId, accountId });
  expect(activity).toMatchObject({ accountId, currencyCode: "USD" });
  expect(activity?.days).toHaveLength(30);
  expect(activity?.days[0]).toMatchObject({ movements: [], available: "0.00", held: "0.00" });
  expect(activity?.days.at(-1)).toMatchObject({
    date: new Date().toISOString().slice(0, 10),
    movements: [
      { step: LedgerStep.CREDIT, count: 1n, amount: "100.00" },
      { step: LedgerStep.HOLD, count: 1n, amount: "12.50" },
    ],
    ...{ available: "87.50", held: "12.50" },
  });
  // The figures stay for a minute.
  await platform.ledger.apply({ merchantId, accountId }, { ...movement, payoutId: "po_2" });
  expect(await platform.rpc.getAccountActivity({ merchantId, accountId })).toEqual(
    expect.objectContaining({ activity }),
  );
});

it("refuses another merchant's account, a rail account and malformed days", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const codeOf = async (change: object) => {
    const asked = platform.rpc.getAccountActivity({ merchantId, accountId, ...change });
    return readRefusal(await asked.catch((error: unknown) => error))?.code;
  };
  expect(await codeOf({ merchantId: "mer_2" })).toBe("RECORD_NOT_FOUND");
  expect(await codeOf({ merchantId: "platform" })).toBe("RECORD_NOT_FOUND");
  expect(await codeOf({ accountId: "acc_x" })).toBe("RECORD_NOT_FOUND");
  expect(await codeOf({ lastDay: "today" })).toBe("INVALID_REQUEST");
  expect(await codeOf({ firstDay: "2026-01-01", lastDay: "2026-06-01" })).toBe("INVALID_REQUEST");
});
