import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";
import { applyRailReport, readCharges } from "./rail-report.ts";

const payout = (progress: Progress): Pick<Payout, "progress" | "quote"> => ({
  progress,
  quote: { destination: "USD", receivingMinor: 1_250n } as Payout["quote"],
});
const status = { kind: "settled", reference: "R" } as const;

describe("a rail report of an amount", () => {
  it.each([
    ["the same", "12.50", "USD", "concluding"],
    ["the same, written shorter", "12.5", "USD", "concluding"],
    ["the same, without its currency", "12.50", "", "concluding"],
    ["none, the currency", "", "USD", "concluding"],
    ["a cent more", "12.51", "USD", "amount: differs from the submitted amount"],
    [
      "more decimals than the currency has",
      "12.505",
      "USD",
      "amount: must have at most 2 decimals",
    ],
    ["nothing", "0.00", "USD", "amount: must be greater than zero"],
    ["past 34 digits", "1".repeat(35), "USD", "amount: must have at most 15 digits"],
    ["no number", "12,50", "USD", "amount: must be a decimal number"],
    ["another currency", "12.50", "INR", "currency_code: is INR, but USD was submitted"],
    ["a currency that nobody knows", "12.50", "XXX", "currency_code: is not a known currency"],
  ])("that is %s", (_what, amount, currency, expected) => {
    const next = applyRailReport(payout({ stage: "processing" }), {
      status,
      transferred: { amount, currency },
    });
    const actual = isRefused(next) ? next.detail : next === "unchanged" ? next : next.stage;
    expect(actual?.slice(0, expected.length)).toBe(expected);
  });

  it("is no repeat if the amount differs", () => {
    const settled = payout({ stage: "settled", reference: "R" });
    expect(applyRailReport(settled, { status })).toBe("unchanged");
    const transferred = { amount: "12.51", currency: "USD" };
    expect(isRefused(applyRailReport(settled, { status, transferred }))).toBe(true);
  });
});

describe("a return that is short", () => {
  const returned = { kind: "returned" } as const;
  const settled: Progress = { stage: "settled", reference: "R" };
  const short = { amount: "2.50", currency: "USD" };

  it.each<[string, Progress, object, unknown]>([
    ["of a settled payout", settled, { short }, { stage: "returning", short: "2.50" }],
    [
      "of one that was not known to be settled",
      { stage: "processing" },
      { short },
      { outcome: { returned: true, short: "2.50" } },
    ],
    ["by all but a cent", settled, { short: { ...short, amount: "12.49" } }, { short: "12.49" }],
    [
      "with what came back",
      settled,
      { short, transferred: { amount: "10.00", currency: "USD" } },
      { short: "2.50" },
    ],
    [
      "with what was paid",
      settled,
      { short, transferred: { amount: "12.50", currency: "USD" } },
      { short: "2.50" },
    ],
    ["that is known", { stage: "returned", reference: "R", short: "2.50" }, { short }, "unchanged"],
  ])("%s is taken", (_what, progress, report, expected) => {
    const next = applyRailReport(payout(progress), { status: returned, ...report });
    if (typeof expected === "string") expect(next).toBe(expected);
    else expect(next).toMatchObject(expected as object);
  });

  it.each<[string, Progress, object, string]>([
    [
      "by all",
      settled,
      { short: { ...short, amount: "12.50" } },
      "short: must be less than the paid amount",
    ],
    ["of another currency", settled, { short: { ...short, currency: "INR" } }, "short: must be in"],
    ["by no amount", settled, { short: { ...short, amount: "0" } }, "short: must be greater"],
    [
      "with another amount beside it",
      settled,
      { short, transferred: { amount: "10.01", currency: "USD" } },
      "amount: differs from the submitted amount",
    ],
    [
      "by another amount than is booked",
      { stage: "returned", reference: "R", short: "2.00" },
      { short },
      "short: differs from the shortfall that is already booked",
    ],
    [
      "where all was booked as back",
      { stage: "returning", reference: "R" },
      { short },
      "short: differs from the shortfall that is already booked",
    ],
  ])("%s contradicts", (_what, progress, report, problem) => {
    const next = applyRailReport(payout(progress), { status: returned, ...report });
    expect(isRefused(next) && next.detail?.slice(0, problem.length)).toBe(problem);
  });

  it("is absent for a payout that was not returned", () => {
    const next = applyRailReport(payout({ stage: "processing" }), { status, short });
    expect(next).toEqual({ stage: "concluding", outcome: { ...status } });
  });
});

it.each([
  [{ amount: "3.5", currency: "USD" }, [{ minor: 350n, currency: "USD" }]],
  [{ amount: "3.501", currency: "USD" }, "charges: must have at most 2 decimals"],
  [{ amount: "0", currency: "USD" }, "charges: must be greater than zero"],
  [{ amount: "1", currency: "XXX" }, "charges: must be in known currencies"],
])("a charge of %j is read", (charge, expected) => {
  const read = readCharges([charge]);
  expect(isRefused(read) ? read.detail : read).toEqual(expected);
});

it("reads no charges as none", () => {
  expect(readCharges(undefined)).toEqual([]);
});
