import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** What operations cost, by section, operation and measure: `operation-counts.json`. */
type Table = Record<string, Record<string, Record<string, Expected>>>;
/** Exactly so much; or at most so much, where a clock or the engine has a part in it. */
type Expected = number | { readonly most: number };

const file = join(import.meta.dirname, "operation-counts.json");
/** With it a test writes what it counted into the table, and passes. */
const isRenewed = process.env.RENEW_COUNTS === "1";
/** By how much bounded bytes may differ between two runs; what is counted one by one has no spare. */
const spareShare = 1.15;
/** Below this share of a bound the table is out of date. */
const lowShare = 0.7;

/** Measures that are bounded, with the reason; all others are the same in every run. */
export type Bounded = Readonly<Record<string, string>>;

/** What one run of an operation cost. */
export type Counted = {
  readonly section: string;
  readonly operation: string;
  readonly found: Readonly<Record<string, number>>;
  readonly bounded?: Bounded;
};

/** Where a run differs from the table, in words; nowhere while the table is renewed. */
export function countProblems({ section, operation, found, bounded = {} }: Counted): string[] {
  if (isRenewed) return [];
  const expected = readTable()[section]?.[operation] ?? {};
  return Object.keys({ ...expected, ...found }).flatMap((measure) =>
    problemOf(measure, expected[measure], found[measure], bounded[measure]),
  );
}

/**
 * Compares what an operation cost with the table. More fails, and so does less: renew the table
 * then, so that it stays true. `RENEW_COUNTS=1` before the command of a test renews its part.
 * `detail` is shown where it fails.
 */
export function expectCounts(counted: Counted, detail: unknown = {}): void {
  if (isRenewed) {
    renew(counted);
    return;
  }
  const { section, operation } = counted;
  const problems = countProblems(counted);
  const hint = "RENEW_COUNTS=1 renews operation-counts.json";
  const seen = JSON.stringify(detail, null, 2);
  const message = `${section}, ${operation}: ${problems.join("; ")}. ${hint}.\n${seen}`;
  expect(problems, message).toEqual([]);
}

function renew({ section, operation, found, bounded = {} }: Counted): void {
  const table = readTable();
  const renewed = Object.entries(found).map(([measure, count]) => [
    measure,
    measure in bounded ? { most: mostOf(measure, count) } : count,
  ]);
  table[section] = { ...table[section], [operation]: Object.fromEntries(renewed) };
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
}

const readTable = () => JSON.parse(readFileSync(file, "utf8")) as Table;

function mostOf(measure: string, count: number): number {
  return measure.endsWith("bytes") ? Math.ceil(count * spareShare) : count;
}

function problemOf(
  measure: string,
  expected: Expected | undefined,
  found: number | undefined,
  reason: string | undefined,
): string[] {
  if (expected === undefined || found === undefined) return [`${measure} is not on both sides`];
  if (typeof expected === "number") {
    if (found === expected) return [];
    return [`${measure} ${found > expected ? "rose" : "fell"} from ${expected} to ${found}`];
  }
  const { most } = expected;
  if (found > most) return [`${measure} rose above ${most}, to ${found} (bounded: ${reason})`];
  if (found >= most * lowShare) return [];
  return [`${measure} fell far below its bound of ${most}, to ${found}`];
}
