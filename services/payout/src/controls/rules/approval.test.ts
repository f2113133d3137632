import { describe, expect, it } from "vitest";
import {
  type ApprovalRulesText,
  approvalNeed,
  approvalViolations,
  readApprovalRules,
} from "./approval.ts";

const rules: ApprovalRulesText = {
  amounts: [
    { currency: "USD", minimum: "10.00", window_seconds: 0 },
    { currency: "BTC", minimum: "0.1", window_seconds: 0 },
  ],
  new_beneficiary_days: 2,
  lasts_seconds: 3_600,
};

describe("rules that an operator sets", () => {
  it.each<[string, Partial<ApprovalRulesText>, string[]]>([
    ["sound ones", {}, []],
    ["none", { amounts: [], new_beneficiary_days: 0 }, []],
    ["a year", { new_beneficiary_days: 365 }, []],
    ["more", { new_beneficiary_days: 366 }, ["new_beneficiary_days: must be 0 to 365"]],
    ["days below zero", { new_beneficiary_days: -1 }, ["new_beneficiary_days: must be 0 to 365"]],
    ["a minute", { lasts_seconds: 60 }, []],
    ["a day", { amounts: [{ currency: "USD", minimum: "1", window_seconds: 86_400 }] }, []],
    ["less", { lasts_seconds: 59 }, ["lasts_seconds: must be 60 to 604800"]],
    ["a week", { lasts_seconds: 604_800 }, []],
    ["longer", { lasts_seconds: 604_801 }, ["lasts_seconds: must be 60 to 604800"]],
    [
      "amounts that are none",
      {
        amounts: [
          { currency: "XXX", minimum: "1", window_seconds: 0 },
          { currency: "USD", minimum: "0", window_seconds: 0 },
          { currency: "USD", minimum: "1", window_seconds: 0 },
          { currency: "INR", minimum: "1.001", window_seconds: 0 },
          { currency: "EUR", minimum: "1", window_seconds: -1 },
          { currency: "BTC", minimum: "1", window_seconds: 86_401 },
        ],
      },
      [
        "amounts[0].currency_code: is not a known currency",
        "amounts[1].minimum: must be an amount above zero in USD",
        "amounts[2].currency_code: must not be repeated",
        "amounts[3].minimum: must be an amount above zero in INR",
        "amounts[4].window_seconds: must be 0 to 86400",
        "amounts[5].window_seconds: must be 0 to 86400",
      ],
    ],
  ])("%s", (_what, change, problems) => {
    const found = approvalViolations({ ...rules, ...change });
    const expected = problems.map((problem) => `approval.${problem}`);
    expect(found.map(({ field, problem }) => `${field}: ${problem}`)).toEqual(expected);
  });
});

describe("the approval that a payout needs", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  const days = (count: number, ms = 0) => new Date(now.getTime() - count * 86_400_000 + ms);
  const known = days(100);

  it.each<[string, string, bigint, Date | undefined, string[]]>([
    ["below the minimum", "USD", 999n, known, []],
    ["of the minimum", "USD", 1_000n, known, ["amount"]],
    ["of a currency with decimals of its own", "BTC", 10_000_000n, known, ["amount"]],
    ["of a currency without a rule", "INR", 10_000_000n, known, []],
    ["to one that is two days old", "USD", 1n, days(2), []],
    ["to one that is a moment younger", "USD", 1n, days(2, 1), ["new_beneficiary"]],
    ["to one that is not there any more", "USD", 1n, undefined, ["new_beneficiary"]],
    ["of both", "USD", 1_000n, now, ["amount", "new_beneficiary"]],
  ])("%s", (_what, source, sourceMinor, beneficiaryCreatedAt, reasons) => {
    const judged = { source, sourceMinor, beneficiaryCreatedAt, isOverWindow: false };
    const expected = reasons.length === 0 ? undefined : { reasons, lastsMs: 3_600_000 };
    expect(approvalNeed(readApprovalRules(rules), judged, now)).toEqual(expected);
  });

  it("is not needed for a new beneficiary without such a rule", () => {
    const without = readApprovalRules({ ...rules, new_beneficiary_days: 0 });
    const judged = { source: "USD", sourceMinor: 1n, beneficiaryCreatedAt: now };
    expect(approvalNeed(without, { ...judged, isOverWindow: false }, now)).toBeUndefined();
    const over = approvalNeed(without, { ...judged, isOverWindow: true }, now);
    expect(over?.reasons).toEqual(["amount"]);
  });
});
