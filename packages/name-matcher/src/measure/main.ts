import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { matcherConfig } from "../config.ts";
import { buildMatcher } from "../matcher.ts";
import {
  entriesOf,
  hasQuerySet,
  type ListedEntry,
  listFile,
  type Query,
  queriesOf,
  queryFile,
  UnusableInput,
} from "./query-set.ts";
import { allScoresConfig, predictionLine, quality, runQueries } from "./recall.ts";
import { printed, type Report } from "./report.ts";
import { baselineScan, speedOf, syntheticEntries, timed } from "./speed.ts";

const usage = `usage: npm run bench:screening [-- --index FILE.jsonl[.gz] --queries FILE.jsonl
       --out PREDICTIONS.jsonl --json FILE]`;

const largerCount = 100_000;
const seed = 1;
/** The baseline scan is slow: a part of the queries is enough. */
const scannedMax = 50;

function read(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { index: text, queries: text, out: text, json: text };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnusableInput(`${problem}\n${usage}`, { cause: error });
  }
}

function run(args: readonly string[]): void {
  const { index, queries: queriesFile, out, json } = read(args);
  if (!hasQuerySet && index === undefined && queriesFile === undefined) {
    process.stdout.write("the query set is not beside the project: nothing measured\n");
    return;
  }
  const entries = entriesOf(index ?? listFile);
  const queries = queriesOf(queriesFile ?? queryFile);
  const matcher = buildMatcher(entries, allScoresConfig);
  // The first pass warms up the compiler, as in a process that runs for days.
  runQueries(matcher, queries);
  const results = runQueries(matcher, queries);
  if (out !== undefined) write(out, results.map(predictionLine).join(""));
  const scan = baselineScan(entries);
  const scanned = queries.slice(0, scannedMax).map((query) => timed(() => scan(query)));
  const report: Report = {
    configurationVersion: matcherConfig.version,
    entries: entries.length,
    queries: queries.length,
    ...quality(results),
    speed: speedOf(results),
    plainScan: { ...speedOf(scanned), queries: scanned.length },
    larger: larger(entries, queries),
  };
  if (json !== undefined) write(json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${printed(report, index === undefined && queriesFile === undefined)}\n`);
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UnusableInput(`${path}: cannot be written`, { cause: error });
  }
}

function larger(entries: readonly ListedEntry[], queries: readonly Query[]): Report["larger"] {
  const more = syntheticEntries(entries, largerCount, seed);
  const matcher = buildMatcher(more, matcherConfig);
  runQueries(matcher, queries.slice(0, queries.length / 4));
  return { entries: more.length, ...speedOf(runQueries(matcher, queries)) };
}

try {
  run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
