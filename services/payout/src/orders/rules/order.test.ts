import { describe, expect, it } from "vitest";
import {
  afterRefusal,
  aheadMaxMs,
  failureText,
  isAboveMaximum,
  knownAmounts,
  type OrderTerms,
  orderTerms,
  patienceMs,
  scheduledTime,
} from "./order.ts";

const sent = {
  ...{ accountId: "acc_1", beneficiaryId: "ben_1" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "INR" },
  ...{ sourceAmount: "10.00", receivingAmount: "", maxSourceAmount: "" },
  ...{ referenceId: "order-1", remittanceInformation: "", purposeCode: "" },
  ...{ metadata: { order: "1" }, allowDuplicate: true },
};
const parties = { account: "USD", beneficiary: "INR" };

describe("the terms of an order", () => {
  it("are the sent ones, in minor units", () => {
    expect(orderTerms({ ...sent, maxSourceAmount: "10.00" }, parties)).toEqual({
      ...{ accountId: "acc_1", beneficiaryId: "ben_1", source: "USD", destination: "INR" },
      ...{ fixed: "source", amount: 1_000n, maxSource: 1_000n },
      details: {
        ...{ referenceId: "order-1", remittanceInformation: "", purposeCode: "" },
        metadata: { order: "1" },
      },
      allowDuplicate: true,
    });
  });

  it.each([
    ["the receiving amount alone", { sourceAmount: "", receivingAmount: "5.5" }, "receiving", 550n],
    ["both: the source amount", { receivingAmount: "x" }, "source", 1_000n],
  ] as const)("fix %s", (_what, change, fixed, amount) => {
    expect(orderTerms({ ...sent, ...change }, parties)).toMatchObject({ fixed, amount });
  });

  it.each([
    ["another currency than the account's", {}, { account: "BTC" }, "source_currency_code"],
    ["another than the beneficiary's", {}, { beneficiary: "EUR" }, "destination_currency_code"],
    ["more decimals than the currency", { sourceAmount: "1.001" }, {}, "source_amount"],
    [
      "the same of the other side",
      { sourceAmount: "", receivingAmount: "1.001" },
      {},
      "receiving_amount",
    ],
    ["more decimals in the maximum", { maxSourceAmount: "20.001" }, {}, "max_source_amount"],
    ["a maximum below the amount", { maxSourceAmount: "9.99" }, {}, "max_source_amount"],
  ])("refuse %s by its field", (_what, change, other, field) => {
    const terms = orderTerms({ ...sent, ...change }, { ...parties, ...other });
    expect(terms).toEqual([{ field, problem: expect.any(String) }]);
  });
});

const now = new Date("2026-11-20T00:00:00Z");
const after = (ms: number) => new Date(now.getTime() + ms);

it.each([
  [1, true],
  [aheadMaxMs, true],
  [0, false],
  [-1, false],
  [aheadMaxMs + 1, false],
])("a payout %i ms ahead is taken: %s", (ms, isTaken) => {
  const at = after(ms);
  const refusal = { refused: "INVALID_REQUEST", detail: expect.stringMatching(/^scheduled_at: /) };
  expect(scheduledTime(at, now)).toEqual(isTaken ? at : refusal);
});

it.each([
  ["QUOTE_EXPIRED", 0, "quote"],
  ["BENEFICIARY_NOT_READY", patienceMs - 1, "wait"],
  ["BENEFICIARY_NOT_READY", patienceMs, "fail"],
  ["INSUFFICIENT_BALANCE", 0, "fail"],
  ["COST_ABOVE_MAXIMUM", 0, "fail"],
] as const)("after %s, %i ms late, an order is to %s", (code, late, next) => {
  expect(afterRefusal(code, { dueAt: now, now: after(late) })).toBe(next);
});

const terms = orderTerms(sent, parties) as OrderTerms;
const quote = { id: "qt_1", source: 1_000n, receiving: 55_500n };

it.each([
  [undefined, false],
  [1_000n, false],
  [999n, true],
])("a quote of 10.00 with the maximum %s is above it: %s", (maxSource, isAbove) => {
  expect(isAboveMaximum(quote, { ...terms, maxSource })).toBe(isAbove);
});

it.each([
  [terms, undefined, "10.00", ""],
  [{ ...terms, fixed: "receiving" } as const, undefined, "", "10.00"],
  [terms, quote, "10.00", "555.00"],
])("amounts are known as ordered, then as quoted", (its, quoted, sourceAmount, receivingAmount) => {
  expect(knownAmounts({ terms: its, quote: quoted })).toEqual({ sourceAmount, receivingAmount });
});

it("a failure has a sentence", () => {
  expect(failureText("COST_ABOVE_MAXIMUM")).toMatch(/maximum/);
  expect(failureText("INSUFFICIENT_BALANCE")).toMatch(/balance/i);
});
