import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Costs in `operation-counts.json`, by section, operation and measure. */
type Table = Record<string, Record<string, Record<string, Expected>>>;
/** An exact value, or a maximum if it depends on timing or the engine. */
type Expected = number | { readonly most: number };

const file = join(import.meta.dirname, "operation-counts.json");
/** True writes the measured counts into the table instead of comparing them. */
const isRenewed = process.env.RENEW_COUNTS === "1";
/** Allowed factor between the bounded bytes of two runs. Bounded counts have no tolerance. */
const spareShare = 1.15;
/** If a measured value is below this fraction of its bound, the table is outdated. */
const lowShare = 0.7;
const triesMax = 3;

/**
 * Measures that have only an upper bound, each with the reason. All other measures must be equal in
 * every run.
 */
export type Bounded = Readonly<Record<string, string>>;

export type Counted = {
  readonly section: string;
  readonly operation: string;
  readonly found: Readonly<Record<string, number>>;
  readonly bounded?: Bounded;
};

/** Returns the differences from the table. A lower count is a difference too. */
export function countProblems(
  { section, operation, found, bounded = {} }: Counted,
  table: Table,
): string[] {
  const expected = table[section]?.[operation] ?? {};
  return Object.keys({ ...expected, ...found }).flatMap((measure) =>
    problemOf(measure, expected[measure], found[measure], bounded[measure]),
  );
}

/**
 * Compares an operation's costs with the table. Lower costs fail too, so that the table stays
 * exact. To update the table for a test, run the test with `RENEW_COUNTS=1`. `detail` is shown on
 * failure.
 */
export function expectCounts(counted: Counted, detail: unknown = {}): void {
  if (isRenewed) renew([counted]);
  else expectNone(counted, countProblems(counted, readTable()), detail);
}

function expectNone(
  { section, operation }: Counted,
  problems: readonly string[],
  detail: unknown,
): void {
  const hint = "RENEW_COUNTS=1 renews operation-counts.json";
  const seen = JSON.stringify(detail, null, 2);
  const message = `${section}, ${operation}: ${problems.join("; ")}. ${hint}.\n${seen}`;
  expect(problems, message).toEqual([]);
}

export type Try = {
  readonly counted: Counted;
  /**
   * Problems that are not differences from the table. An update of the table ignores a run with
   * such problems.
   */
  readonly problems?: readonly string[];
  readonly detail?: unknown;
};

/**
 * Compares runs on a real engine with the table until one run matches. Other load can only increase
 * the counts of a run, so an update takes the minimum of all runs.
 */
export async function expectCountsOfTries(run: () => Promise<Try>): Promise<void> {
  const sound: Counted[] = [];
  for (let left = triesMax; ; left -= 1) {
    const { counted, problems = [], detail } = await run();
    if (problems.length === 0) sound.push(counted);
    if (isRenewed && left > 1) continue;
    if (isRenewed && sound.length > 0) return renew(sound);
    const all = [...problems, ...countProblems(counted, readTable())];
    if (all.length === 0 || left === 1) return expectNone(counted, all, detail);
  }
}

function renew(tries: readonly Counted[]): void {
  writeFileSync(file, `${JSON.stringify(renewed(readTable(), tries), null, 2)}\n`);
}

/** Returns the table with an operation's counts: for each measure, the minimum of all runs. */
export function renewed(table: Table, tries: readonly Counted[]): Table {
  const [first] = tries;
  if (first === undefined) return table;
  const { section, operation, found, bounded = {} } = first;
  const counts = Object.keys(found).map((measure) => {
    const least = Math.min(...tries.map((each) => each.found[measure] ?? Number.NaN));
    return [measure, measure in bounded ? { most: mostOf(measure, least) } : least];
  });
  const renewal = { ...table[section], [operation]: Object.fromEntries(counts) };
  return { ...table, [section]: renewal };
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
  if (reason === undefined) return [`${measure} has a bound without a reason`];
  const { most } = expected;
  if (found > most) return [`${measure} rose above ${most}, to ${found} (bounded: ${reason})`];
  if (found >= most * lowShare) return [];
  return [`${measure} fell far below its bound of ${most}, to ${found}`];
}
