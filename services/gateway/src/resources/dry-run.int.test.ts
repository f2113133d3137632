import { beforeEach, describe, expect, it } from "vitest";
import { useCalls } from "../test-calls.ts";

const calls = useCalls();

const limit = { subject: "merchant", window: "day", currencyCode: "USD" };
const preview = {
  ...{ refusals: [], sourceCurrencyCode: "USD", sourceAmount: "10.00", wouldWait: true },
  ...{ availableAmount: "500.00", limits: [{ ...limit, maximum: "1000.00", left: "990.00" }] },
};
const validation = {
  ...{ lineCount: 1, payableCount: 1, sourceCurrencyCode: "USD", totalAmount: "10.00" },
  ...{ availableAmount: "500.00", balanceSufficient: true },
};
const own = ["quote:write", "payout:write"];

describe("the figures of an account", () => {
  beforeEach(() => {
    calls.fakes().orders.previewPayout = calls.replying(preview);
    calls.fakes().orders.validateBatch = calls.replying(validation);
  });

  const dryRun = { "disburse-dry-run": "true" };
  it.each([
    ["a quote's dry run", { path: "/api/v1/transfer/rfq", headers: dryRun }],
    ["an execute's dry run", { path: "/api/v1/transfer/execute", headers: dryRun }],
    ["a batch's validation", { path: "/api/v1/transfer/batches/validate" }],
  ])("are in %s only with the scope account:read", async (_what, request) => {
    const answerOf = async (scopes: string[]) => {
      const key = await calls.keyWith(scopes);
      const { text } = await calls.ask({ ...request, key, body: "{}" });
      return JSON.parse(text).data;
    };
    const shown = await answerOf([...own, "account:read"]);
    expect(shown).toMatchObject({ source_currency_code: "USD", available_amount: 500 });
    const { available_amount: _amount, limits, ...rest } = shown;
    const expected = limits === undefined ? rest : { ...rest, limits: [] };
    expect(limits).not.toEqual([]);
    expect(await answerOf(own)).toEqual(expected);
  });
});
