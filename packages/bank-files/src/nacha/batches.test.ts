import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { achBatches, achFileLimits } from "./batches.ts";
import type { AchCredit, AchProfile } from "./credit.ts";
import { readAch } from "./read.ts";
import { achFile, achProfile, credit } from "./test-credits.ts";
import { writeAch } from "./write.ts";

const balancedProfile: AchProfile = {
  ...achProfile,
  balancedBy: { routing: "121042882", account: "555", accountType: "checking" },
};

/** Credits of these cents, in order. */
const credits = (...cents: readonly bigint[]) =>
  cents.map((each, at) => credit(at, { cents: each }));

const centsOf = (batches: readonly (readonly AchCredit[])[]) =>
  batches.map((batch) => batch.map(({ cents }) => cents));

const lengthsOf = (credits: readonly AchCredit[], isBalanced: boolean) =>
  achBatches(credits, isBalanced).map(({ length }) => length);

const entryMax = 9_999_999_999n;
const oneRecord = credit(1, { cents: 1n });
/** Entries with addenda: 999,998 records. */
const twoRecords = Array<AchCredit>(499_999).fill(credit(2, { cents: 1n, remittance: "Pay" }));

describe("batches of a balanced file", () => {
  it.each<[string, readonly bigint[], readonly (readonly bigint[])[]]>([
    ["keeps a sum of ten digits in one batch", [entryMax - 1n, 1n], [[entryMax - 1n, 1n]]],
    ["begins another at eleven digits", [entryMax, 1n], [[entryMax], [1n]]],
    ["fits each single credit", [entryMax, entryMax], [[entryMax], [entryMax]]],
    [
      "fills each batch in order",
      [5_000_000_000n, 4_999_999_999n, 1n, entryMax - 1n, 1n],
      [[5_000_000_000n, 4_999_999_999n], [1n, entryMax - 1n], [1n]],
    ],
  ])("%s", (_name, cents, expected) => {
    expect(centsOf(achBatches(credits(...cents), true))).toEqual(expected);
  });

  it("reserves one of 999,999 entries and addenda for the balancing entry", () => {
    expect(lengthsOf([...twoRecords, ...twoRecords.slice(0, 1)], true)).toEqual([499_999, 1]);
    expect(lengthsOf([...twoRecords, oneRecord], true)).toEqual([499_999, 1]);
    expect(lengthsOf(twoRecords, true)).toEqual([499_999]);
  });
});

describe("batches of an unbalanced file", () => {
  it("pass ten digits, and end at twelve", () => {
    const hundred = credits(...Array<bigint>(100).fill(entryMax));
    const last = credit(100, { cents: 99n });
    expect(lengthsOf([...hundred, last], false)).toEqual([101]);
    const over = credit(101, { cents: 1n });
    expect(lengthsOf([...hundred, last, over], false)).toEqual([101, 1]);
  });

  it("have 999,999 entries and addenda", () => {
    expect(lengthsOf([...twoRecords, oneRecord], false)).toEqual([500_000]);
    expect(lengthsOf([...twoRecords, oneRecord, oneRecord], false)).toEqual([500_000, 1]);
  });
});

describe("limits of a file", () => {
  const hundred = credits(...Array<bigint>(100).fill(entryMax));

  it.each([true, false])("are kept at a sum of twelve digits; balanced: %s", (isBalanced) => {
    const most = achBatches([...hundred, credit(100, { cents: 99n })], isBalanced);
    expect(achFileLimits(most, isBalanced)).toEqual([]);
    const over = achBatches([...hundred, credit(100, { cents: 100n })], isBalanced);
    expect(achFileLimits(over, isBalanced)).toEqual(["sum up to more than twelve digits"]);
  });

  it("are 999,999 batches", () => {
    const one: readonly [AchCredit] = [credit(1, { cents: 1n })];
    expect(achFileLimits(Array(999_999).fill(one), false)).toEqual([]);
    expect(achFileLimits(Array(1_000_000).fill(one), false)).toEqual([
      "have more than 999999 batches",
    ]);
  });

  it("are 999,999 blocks", () => {
    const one = credit(1, { cents: 1n });
    const batch = (length: number) => Array<AchCredit>(length).fill(one) as [AchCredit];
    const full = Array(9).fill(batch(999_999));
    // The remaining records are headers and controls, of the file and of ten batches.
    const rest = 9_999_990 - 2 - 20 - 9 * 999_999;
    expect(achFileLimits([...full, batch(rest)], false)).toEqual([]);
    expect(achFileLimits([...full, batch(rest + 1)], false)).toEqual([
      "have more than 999999 blocks",
    ]);
  });
});

describe("a written file of large sums", () => {
  const money = fc.oneof(
    fc.bigInt(1n, entryMax),
    fc.constantFrom(1n, entryMax, entryMax - 1n, 5_000_000_000n, 4_999_999_999n),
  );
  const anyCredit = fc.record({
    cents: money,
    entryClass: fc.constantFrom("PPD" as const, "CCD" as const),
    effectiveOn: fc.constantFrom("2026-11-25", "2026-11-27"),
    routing: fc.constantFrom("231380104", "121042882", "021000021", "026009593"),
    remittance: fc.constantFrom("", "Invoice 77"),
  });
  const manyCredits = fc
    .array(anyCredit, { minLength: 1, maxLength: 99 })
    .map((all) =>
      all.map(({ remittance, ...changes }, at) =>
        credit(at, remittance === "" ? changes : { ...changes, remittance }),
      ),
    );

  it.each([
    ["balanced", balancedProfile],
    ["unbalanced", achProfile],
  ])("reads back with its counts, sums and hashes: %s", (_name, profile) => {
    fc.assert(
      fc.property(manyCredits, (given) => {
        const written = writeAch(profile, achFile(given));
        if (isRefused(written)) throw new Error(JSON.stringify(written.faults));
        const read = readAch(written.bytes);
        if (isRefused(read)) throw new Error(read.detail);
        expect(read.unread).toEqual([]);
        expect(read.batches.map(({ number }) => Number(number))).toEqual(
          read.batches.map((_batch, at) => at + 1),
        );
        const entries = read.batches.flatMap((batch) => batch.entries);
        const paid = entries.filter(({ direction }) => direction === "credit");
        const traces = new Map(written.traces.map(({ trace, payoutId }) => [trace, payoutId]));
        const byPayout = paid.map(({ trace, cents }) => [traces.get(trace), cents] as const);
        const expected = given.map(({ payoutId, cents }) => [payoutId, cents] as const);
        expect(new Map(byPayout)).toEqual(new Map(expected));
        expect(paid).toHaveLength(given.length);
        expect(new Set(entries.map(({ trace }) => trace)).size).toBe(entries.length);
        expect(written.nextTrace).toBeLessThanOrEqual(1 + 2 * given.length);
        for (const { entries: all } of read.batches) {
          const debits = all.filter(({ direction }) => direction === "debit");
          expect(debits).toHaveLength(profile.balancedBy === undefined ? 0 : 1);
          const sum = all
            .filter(({ direction }) => direction === "credit")
            .reduce((total, { cents }) => total + cents, 0n);
          if (debits[0] !== undefined) expect(debits[0].cents).toBe(sum);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("begins no batch while the previous one has space", () => {
    fc.assert(
      fc.property(manyCredits, fc.boolean(), (given, isBalanced) => {
        const batches = achBatches(given, isBalanced);
        const kinds = Map.groupBy(batches, ([first]) => first.entryClass + first.effectiveOn);
        for (const same of kinds.values()) {
          for (const [at, batch] of same.slice(0, -1).entries()) {
            const sum = batch.reduce((total, { cents }) => total + cents, 0n);
            const next = same[at + 1]?.[0].cents ?? 0n;
            expect(sum + next).toBeGreaterThan(isBalanced ? entryMax : 999_999_999_999n);
          }
        }
        expect(batches.flat()).toHaveLength(given.length);
      }),
      { numRuns: 50 },
    );
  });
});
