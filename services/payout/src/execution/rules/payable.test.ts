import { describe, expect, it } from "vitest";
import { type ExecutableQuote, executedBefore, fundable, payable } from "./payable.ts";

const now = new Date(1_000_000);
const limits = { sourceMin: 100n, sourceMax: 1_000n, receivingMin: 10n, receivingMax: 99n };
const quote: ExecutableQuote = {
  merchantId: "mer_1",
  state: "open",
  corridorOpen: true,
  limits,
  sourceMinor: 500n,
  receivingMinor: 50n,
  expiresAt: new Date(now.getTime() + 1),
};

describe("payable", () => {
  const closed = { corridorOpen: false };
  it.each<[string, Partial<ExecutableQuote>, string]>([
    ["an open quote", {}, "hold"],
    ["a claimed one, its corridor closed", { state: "claimed", ...closed }, "complete"],
    ["a claimed one of another", { state: "claimed", merchantId: "mer_2" }, "ACCESS_FORBIDDEN"],
    ["a closed corridor, before expiry", { ...closed, expiresAt: now }, "ACCESS_FORBIDDEN"],
    ["a quote at its expiry", { expiresAt: now }, "QUOTE_EXPIRED"],
    ["one marked expired", { state: "expired" }, "QUOTE_EXPIRED"],
  ])("of %s", (_what, change, expected) => {
    const answer = payable({ ...quote, ...change }, "mer_1", now);
    expect(typeof answer === "string" ? answer : answer.refused).toBe(expected);
  });
});

describe("fundable", () => {
  it.each<[string, Partial<ExecutableQuote>, boolean, string]>([
    ["all within", {}, true, "fundable"],
    ["the lowest", { sourceMinor: 100n, receivingMinor: 10n }, true, "fundable"],
    ["the highest", { sourceMinor: 1_000n, receivingMinor: 99n }, true, "fundable"],
    ["too little sent", { sourceMinor: 99n }, true, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too much sent", { sourceMinor: 1_001n }, true, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too little received", { receivingMinor: 9n }, true, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too much received", { receivingMinor: 100n }, true, "AMOUNT_NOT_WITHIN_LIMITS"],
    ["an uncleared beneficiary first", { sourceMinor: 1n }, false, "ACCESS_FORBIDDEN"],
  ])("of %s", (_what, change, cleared, expected) => {
    const answer = fundable({ ...quote, ...change }, cleared);
    expect(typeof answer === "string" ? answer : answer.refused).toBe(expected);
  });

  it("has no bound where there is none", () => {
    const none = {
      sourceMin: undefined,
      sourceMax: undefined,
      receivingMin: undefined,
      receivingMax: undefined,
    };
    expect(fundable({ ...quote, limits: none, sourceMinor: 10n ** 30n }, true)).toBe("fundable");
  });
});

it.each<[string, string, boolean, string]>([
  ["its own operation", "a", true, "same"],
  ["its own operation, the corridor closed", "a", false, "same"],
  ["another operation", "b", true, "ALREADY_PROCESSED"],
  ["another operation, the corridor closed", "b", false, "ACCESS_FORBIDDEN"],
])("answers %s of a payout that exists", (_what, operationId, corridorOpen, expected) => {
  const answer = executedBefore({ operationId: "a" }, operationId, corridorOpen);
  expect(typeof answer === "string" ? answer : answer.refused).toBe(expected);
});
