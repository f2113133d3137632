import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { matcherConfig } from "../config.ts";
import { buildMatcher } from "../matcher.ts";
import { ask, predictionLine, seeAll, timed } from "./answers.ts";
import { plainScan } from "./plain-scan.ts";
import { printed } from "./print.ts";
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
import { quality, type Report, speedOf } from "./report.ts";
import { syntheticEntries } from "./synthetic-entries.ts";

const usage = `usage: npm run bench:screening [-- --index FILE.jsonl[.gz] --queries FILE.jsonl
       --out PREDICTIONS.jsonl --json FILE]`;

const largerCount = 100_000;
const seed = 1;
/** A scan takes so long that a part of the queries has to do. */
const scannedMax = 50;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

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
  const { index, queries: asked, out, json } = read(args);
  if (!hasQuerySet && index === undefined && asked === undefined) {
    say("the query set is not beside the project: nothing measured");
    return;
  }
  const entries = entriesOf(index ?? listFile);
  const queries = queriesOf(asked ?? queryFile);
  const matcher = buildMatcher(entries, seeAll);
  // The first pass is for the compiler; a process that runs for days has had it.
  ask(matcher, queries);
  const answers = ask(matcher, queries);
  if (out !== undefined) write(out, answers.map(predictionLine).join(""));
  const report: Report = {
    configurationVersion: matcherConfig.version,
    entries: entries.length,
    queries: queries.length,
    ...quality(answers),
    speed: speedOf(answers),
    plainScan: scan(entries, queries),
    larger: larger(entries, queries),
  };
  if (json !== undefined) write(json, `${JSON.stringify(report, null, 2)}\n`);
  say(printed(report, index === undefined && asked === undefined));
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
  ask(matcher, queries.slice(0, queries.length / 4));
  return { entries: more.length, ...speedOf(ask(matcher, queries)) };
}

function scan(entries: readonly ListedEntry[], queries: readonly Query[]): Report["plainScan"] {
  const best = plainScan(entries);
  const some = queries.slice(0, scannedMax);
  return { ...speedOf(some.map((query) => timed(() => best(query)))), queries: some.length };
}

try {
  run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
