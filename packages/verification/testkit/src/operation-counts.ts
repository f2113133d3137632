import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** The costs in `operation-counts.json`, by section, operation and measure. */
type Table = Record<string, Record<string, Record<string, Expected>>>;
/** Exactly so much; or at most so much, where a clock or the engine has a part in it. */
type Expected = number | { readonly most: number };

const file = join(import.meta.dirname, "operation-counts.json");
/** With it a test writes what it counted into the table, and passes. */
const isRenewed = process.env.RENEW_COUNTS === "1";
/** Bounded bytes may rise by this factor between two runs. Bounded counts may not. */
const spareShare = 1.15;
/** Below this share of a bound the table is out of date. */
const lowShare = 0.7;
/** Runs of an operation on a real engine. */
const triesMax = 3;

/** Measures that are bounded, with the reason; all others are the same in every run. */
export type Bounded = Readonly<Record<string, string>>;

/** The costs of one run of an operation. */
export type Counted = {
  readonly section: string;
  readonly operation: string;
  readonly found: Readonly<Record<string, number>>;
  readonly bounded?: Bounded;
};

/** Lists the differences of a run from the table: a rise and a fall are both one. */
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
 * Compares what an operation cost with the table. More fails, and so does less: renew the table
 * then, so that it stays true. `RENEW_COUNTS=1` before the command of a test renews its part.
 * `detail` is shown where it fails.
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

/** One run of an operation on a real engine. */
export type Try = {
  readonly counted: Counted;
  /** Differences from anything else than the table. A renewal leaves a run with one out. */
  readonly problems?: readonly string[];
  readonly detail?: unknown;
};

/**
 * Compares runs of an operation on a real engine with the table, until one is like it. A busy
 * machine only adds to a run, so a renewal takes the least of all runs.
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

/** The table with an operation's counts: of each measure the least of all runs. */
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
