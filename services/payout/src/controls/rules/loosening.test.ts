import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ApprovalRules,
  type ApprovalRulesText,
  approvalNeed,
  readApprovalRules,
} from "./approval.ts";
import { loosened } from "./loosening.ts";

const usd = { currency: "USD", minimum: "10.00", window_seconds: 3_600 };
const eur = { currency: "EUR", minimum: "20.00", window_seconds: 0 };
const rules: ApprovalRulesText = {
  amounts: [usd, eur],
  new_beneficiary_days: 2,
  lasts_seconds: 3_600,
  batches: true,
};
const none: ApprovalRulesText = { amounts: [], new_beneficiary_days: 0, lasts_seconds: 86_400 };

describe("a change of approval rules loosens", () => {
  it.each<[string, Partial<ApprovalRulesText>, string[]]>([
    ["nothing", {}, []],
    ["nothing by another order", { amounts: [eur, usd] }, []],
    ["nothing by other digits", { amounts: [{ ...usd, minimum: "10" }, eur] }, []],
    ["nothing by a lower amount", { amounts: [{ ...usd, minimum: "9.99" }, eur] }, []],
    [
      "a higher amount",
      { amounts: [{ ...usd, minimum: "10.01" }, eur] },
      ["amounts in USD need approval from 10.01, not 10.00"],
    ],
    ["nothing by a longer window", { amounts: [{ ...usd, window_seconds: 3_601 }, eur] }, []],
    ["nothing by a new window", { amounts: [usd, { ...eur, window_seconds: 1 }] }, []],
    [
      "a shorter window, even with a lower amount",
      { amounts: [{ ...usd, minimum: "1.00", window_seconds: 3_599 }, eur] },
      ["amounts in USD add up over 3599 seconds, not 3600 seconds"],
    ],
    [
      "a window that is gone, and a higher amount",
      { amounts: [{ ...usd, minimum: "11.00", window_seconds: 0 }, eur] },
      [
        "amounts in USD need approval from 11.00, not 10.00",
        "amounts in USD add up over 0 seconds, not 3600 seconds",
      ],
    ],
    ["a removed amount", { amounts: [eur] }, ["no amount in USD needs approval, now from 10.00"]],
    ["nothing by another currency", { amounts: [usd, eur, { ...usd, currency: "INR" }] }, []],
    ["nothing by more days", { new_beneficiary_days: 3 }, []],
    ["fewer days", { new_beneficiary_days: 1 }, ["a beneficiary is new for 1 days, not 2"]],
    ["no days", { new_beneficiary_days: 0 }, ["a beneficiary is new for 0 days, not 2"]],
    [
      "batches",
      { batches: undefined as unknown as true },
      ["batches need no approval by another actor"],
    ],
    ["nothing by a shorter time", { lasts_seconds: 3_599 }, []],
    ["a longer time", { lasts_seconds: 3_601 }, ["an approval lasts 3601 seconds, not 3600"]],
  ])("%s", (_what, change, expected) => {
    expect(loosened({ approval: rules }, { approval: { ...rules, ...change } })).toEqual(expected);
  });

  it("nothing where no rule was", () => {
    expect(loosened({}, { approval: rules })).toEqual([]);
    expect(loosened({ approval: none }, { approval: rules })).toEqual([]);
    const brief = { ...none, lasts_seconds: 60 };
    expect(loosened({ approval: brief }, { approval: rules })).toEqual([]);
  });

  it("all rules that it removes", () => {
    expect(loosened({ approval: rules }, { approval: none })).toHaveLength(5);
  });

  it("the duplicate guard by a shorter window alone", () => {
    const guard = (duplicate_window_seconds: number) => ({ duplicate_window_seconds });
    expect(loosened(guard(60), guard(59))).toEqual([
      "duplicates are found within 59 seconds, not 60",
    ]);
    expect(loosened(guard(60), guard(60))).toEqual([]);
    expect(loosened(guard(60), { approval: rules })).toEqual([]);
    expect(loosened({}, guard(0))).toEqual([]);
  });
});

describe("no change lets a payout pass without being called loosening", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  const ago = (ms: number) => new Date(now.getTime() - ms);
  /** Minor units of each currency for one unit of account, so that amounts can be compared. */
  const worth: Readonly<Record<string, bigint>> = { USD: 1n, EUR: 2n, INR: 3n };
  const currency = fc.constantFrom("USD", "EUR", "INR");
  const seconds = fc.constantFrom(0, 1, 60, 3_600, 86_400);

  const someRules = fc.record<ApprovalRulesText>({
    amounts: fc.uniqueArray(
      fc.record({
        currency,
        minimum: fc.constantFrom("0.01", "0.50", "1.00", "2.50", "4.99", "5.00"),
        window_seconds: seconds,
      }),
      { selector: (each) => each.currency, maxLength: 3 },
    ),
    new_beneficiary_days: fc.integer({ min: 0, max: 3 }),
    lasts_seconds: fc.constantFrom(60, 3_600, 86_400),
    batches: fc.constantFrom(true, undefined) as fc.Arbitrary<true>,
  });

  const payout = fc.record({
    source: currency,
    sourceMinor: fc.bigInt({ min: 1n, max: 600n }),
    beneficiaryAgeMs: fc.option(fc.integer({ min: 0, max: 4 * 86_400_000 })),
  });
  /** Payouts to the same account, with their ages. */
  const earlier = fc.array(
    fc.record({
      source: currency,
      sourceMinor: fc.bigInt({ min: 1n, max: 300n }),
      ageMs: fc.integer({ min: 0, max: 86_400_000 }),
    }),
    { maxLength: 4 },
  );

  type Paid = { readonly source: string; readonly sourceMinor: bigint };
  const inCurrency = (to: string, { source, sourceMinor }: Paid): bigint =>
    (sourceMinor * (worth[to] ?? 1n)) / (worth[source] ?? 1n);

  /** The sums over the rules' windows, as `countForApproval` has them. */
  const isOverWindow = (
    { amounts }: ApprovalRules,
    paid: Paid,
    before: readonly (Paid & { readonly ageMs: number })[],
  ) =>
    amounts.some(({ currency: to, minimum, windowMs }) => {
      if (windowMs === 0) return false;
      const within = before.filter(({ ageMs }) => ageMs < windowMs);
      return [paid, ...within].reduce((sum, each) => sum + inCurrency(to, each), 0n) >= minimum;
    });

  it("for any rules, payout and history", () => {
    let passed = 0;
    fc.assert(
      fc.property(someRules, someRules, payout, earlier, (old, fresh, paid, before) => {
        const [was, is] = [readApprovalRules(old), readApprovalRules(fresh)];
        const { beneficiaryAgeMs } = paid;
        const beneficiaryCreatedAt = beneficiaryAgeMs === null ? undefined : ago(beneficiaryAgeMs);
        const needs = (applied: ApprovalRules) => {
          const over = { isOverWindow: isOverWindow(applied, paid, before), beneficiaryCreatedAt };
          return approvalNeed(applied, { ...paid, ...over }, now) !== undefined;
        };
        const isPassing = needs(was) && !needs(is);
        const isBatchPassing = was.isOfBatches && !is.isOfBatches;
        if (!isPassing && !isBatchPassing) return;
        passed += 1;
        expect(loosened({ approval: old }, { approval: fresh })).not.toEqual([]);
      }),
      { numRuns: 20_000 },
    );
    // The property would prove nothing if no payout passed.
    expect(passed).toBeGreaterThan(1_000);
  });
});
