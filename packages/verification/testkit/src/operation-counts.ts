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
/** What a bound leaves for a busy machine, and below which share of it the table is out of date. */
const spareShare = 1.15;
const lowShare = 0.6;

/** Measures that are bounded, with the reason; all others are the same in every run. */
export type Bounded = Readonly<Record<string, string>>;

/**
 * Compares what an operation cost with the table. More fails, and so does less: renew the table
 * then, so that it stays true. `RENEW_COUNTS=1` before the command of a test renews its part.
 */
export function expectCounts(
  section: string,
  operation: string,
  found: Readonly<Record<string, number>>,
  { bounded = {}, detail }: { readonly bounded?: Bounded; readonly detail?: unknown } = {},
): void {
  const table = JSON.parse(readFileSync(file, "utf8")) as Table;
  if (isRenewed) {
    const renewed = Object.entries(found).map(([measure, count]) => [
      measure,
      measure in bounded ? { most: Math.ceil(count * spareShare) } : count,
    ]);
    table[section] = { ...table[section], [operation]: Object.fromEntries(renewed) };
    writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
    return;
  }
  const expected = table[section]?.[operation] ?? {};
  const problems = Object.keys({ ...expected, ...found }).flatMap((measure) =>
    problemOf(measure, expected[measure], found[measure], bounded[measure]),
  );
  const hint = "RENEW_COUNTS=1 renews operation-counts.json";
  const seen = detail === undefined ? "" : `\n${JSON.stringify(detail, null, 2)}`;
  expect(problems, `${section}, ${operation}: ${problems.join("; ")}. ${hint}.${seen}`).toEqual([]);
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
