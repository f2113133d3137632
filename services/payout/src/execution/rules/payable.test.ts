import { describe, expect, it } from "vitest";
import { type ExecutableQuote, fundable, payable, sameOperation } from "./payable.ts";

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
  it.each<[string, Partial<ExecutableQuote>, Parameters<typeof fundable>[1], string]>([
    ["all within", {}, "cleared", "fundable"],
    ["the lowest", { sourceMinor: 100n, receivingMinor: 10n }, "cleared", "fundable"],
    ["the highest", { sourceMinor: 1_000n, receivingMinor: 99n }, "cleared", "fundable"],
    ["too little sent", { sourceMinor: 99n }, "cleared", "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too much sent", { sourceMinor: 1_001n }, "cleared", "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too little received", { receivingMinor: 9n }, "cleared", "AMOUNT_NOT_WITHIN_LIMITS"],
    ["too much received", { receivingMinor: 100n }, "cleared", "AMOUNT_NOT_WITHIN_LIMITS"],
    ["one that is blocked first", { sourceMinor: 1n }, "blocked", "ACCESS_FORBIDDEN"],
    ["one in review first", { sourceMinor: 1n }, "review", "ACCESS_FORBIDDEN"],
    ["one of unknown screening first", { sourceMinor: 1n }, undefined, "ACCESS_FORBIDDEN"],
    ["one still screened first", { sourceMinor: 1n }, "pending", "BENEFICIARY_NOT_READY"],
  ])("of %s", (_what, change, screening, expected) => {
    const answer = fundable({ ...quote, ...change }, screening);
    expect(typeof answer === "string" ? answer : answer.refused).toBe(expected);
  });

  it("has no bound where there is none", () => {
    const none = {
      sourceMin: undefined,
      sourceMax: undefined,
      receivingMin: undefined,
      receivingMax: undefined,
    };
    expect(fundable({ ...quote, limits: none, sourceMinor: 10n ** 30n }, "cleared")).toBe(
      "fundable",
    );
  });
});

it.each<[string, string, boolean, string]>([
  ["its own operation", "a", true, "same"],
  ["its own operation, the corridor closed", "a", false, "same"],
  ["another operation", "b", true, "ALREADY_PROCESSED"],
  ["another operation, the corridor closed", "b", false, "ACCESS_FORBIDDEN"],
])("answers %s of a payout that exists", (_what, operationId, corridorOpen, expected) => {
  const answer = sameOperation({ operationId: "a" }, operationId, corridorOpen);
  expect(typeof answer === "string" ? answer : answer.refused).toBe(expected);
});
