import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { matcherConfig } from "../config.ts";
import { entryTypes } from "../entry.ts";
import { buildMatcher } from "../matcher.ts";
import { innocentInitials, listedInitials } from "./initials.ts";
import {
  entriesOf,
  hasQuerySet,
  type ListedEntry,
  listFile,
  type Query,
  queriesOf,
  queryFile,
  UnusableInput,
  verdictFiles,
} from "./query-set.ts";
import { predictionLine, type QueryResult, quality, runQueries, verdictsOf } from "./recall.ts";
import { printed, type Report } from "./report.ts";
import { baselineScan, speedOf, syntheticEntries, timed } from "./speed.ts";

const usage = `usage: npm run bench:screening [-- --index FILE.jsonl[.gz] --queries FILE.jsonl ...
       --out PREDICTIONS.jsonl --json FILE]
Recall is measured on the first file of queries, verdicts on each.`;

const largerCount = 100_000;
const seed = 1;
/** The baseline scan is slow, so it runs only part of the queries. */
const scannedMax = 50;

function read(args: readonly string[]) {
  const text = { type: "string" } as const;
  const texts = { type: "string", multiple: true } as const;
  const options = { index: text, queries: texts, out: text, json: text };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnusableInput(`${problem}\n${usage}`, { cause: error });
  }
}

function run(args: readonly string[]): void {
  const { index, queries: files, out, json } = read(args);
  if (!hasQuerySet && index === undefined && files === undefined) {
    process.stdout.write("the query set is not beside the project: nothing measured\n");
    return;
  }
  const entries = entriesOf(index ?? listFile);
  const given = (files ?? [queryFile, ...verdictFiles]).map((file) => ({
    name: basename(file),
    queries: queriesOf(file),
  }));
  const withInitials = [
    { name: "initials of listed persons", queries: listedInitials(entries) },
    ...given.map(({ name, queries }) => ({
      name: `initials of ${name}`,
      queries: innocentInitials(queries),
    })),
  ].filter(({ queries }) => queries.length > 0);
  const matcher = buildMatcher(entries, matcherConfig);
  const first = given[0]?.queries ?? [];
  // The first pass warms up the compiler, as in a process that runs for days.
  runQueries(matcher, first);
  const measure = (sets: typeof given) =>
    sets.map(({ name, queries }) => ({ name, results: runQueries(matcher, queries) }));
  const measured = measure(given);
  const results = measured.flatMap((set) => set.results);
  if (out !== undefined) write(out, results.map(predictionLine).join(""));
  const report: Report = {
    configurationVersion: matcherConfig.version,
    entries: entries.length,
    queries: results.length,
    ...quality(measured[0]?.results ?? []),
    sets: [...measured, ...measure(withInitials)].map((set) => ({
      name: set.name,
      ...verdictsOf(set.results),
    })),
    speed: speedByType(results),
    ...(files === undefined && index === undefined && { peers: peersOf(entries, first) }),
  };
  if (json !== undefined) write(json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${printed(report)}\n`);
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UnusableInput(`${path}: cannot be written`, { cause: error });
  }
}

function speedByType(results: readonly QueryResult[]): Report["speed"] {
  return entryTypes.flatMap((type) => {
    const some = results.filter(({ query }) => query.party.type === type);
    return some.length === 0 ? [] : [{ type, queries: some.length, ...speedOf(some) }];
  });
}

/** Measures the speed on more entries, and the speed of a scan of all names. */
function peersOf(
  entries: readonly ListedEntry[],
  queries: readonly Query[],
): NonNullable<Report["peers"]> {
  const scan = baselineScan(entries);
  const scanned = queries.slice(0, scannedMax).map((query) => timed(() => scan(query)));
  const more = syntheticEntries(entries, largerCount, seed);
  const matcher = buildMatcher(more, matcherConfig);
  runQueries(matcher, queries.slice(0, queries.length / 4));
  return {
    larger: { entries: more.length, ...speedOf(runQueries(matcher, queries)) },
    plainScan: { ...speedOf(scanned), queries: scanned.length },
  };
}

try {
  run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
