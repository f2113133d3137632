import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ListEntry } from "../domain/list-entry.ts";
import { matcherConfig } from "../domain/matcher-config.ts";
import { ask, inForce, predictionLine, seeAll } from "./answers.ts";
import type { Footprint } from "./footprint.ts";
import type { Start } from "./index-start.ts";
import { measureIndex } from "./index-switch.ts";
import { plainScan } from "./plain-scan.ts";
import { printed } from "./print.ts";
import type { Query } from "./query.ts";
import {
  entriesOf,
  hasQuerySet,
  listFile,
  queriesOf,
  queryFile,
  UnusableInput,
} from "./query-set.ts";
import { quality, type Report, type Speed, speedOf } from "./report.ts";
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

async function run(args: readonly string[]): Promise<void> {
  const { index, queries: asked, out, json } = read(args);
  if (!hasQuerySet && index === undefined && asked === undefined) {
    say("the query set is not beside the project: nothing measured");
    return;
  }
  const path = index ?? listFile;
  const entries = entriesOf(path);
  const queries = queriesOf(asked ?? queryFile);
  const lists = inForce(entries, seeAll);
  // The first pass is for the compiler; a service that runs for days has had it.
  ask(lists, queries);
  const answers = ask(lists, queries);
  if (out !== undefined) write(out, answers.map(predictionLine).join(""));
  const report: Report = {
    configurationVersion: matcherConfig.version,
    entries: entries.length,
    queries: queries.length,
    ...quality(answers),
    speed: speedOf(answers),
    plainScan: scan(entries, queries),
    larger: larger(entries, queries),
    start: alone<Start>("index-start.ts", path),
    footprint: alone<Footprint>("footprint.ts", path),
    service: await measureIndex(
      entries,
      queries.map(({ party }) => party),
    ),
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

function larger(entries: readonly ListEntry[], queries: readonly Query[]): Report["larger"] {
  const more = syntheticEntries(entries, largerCount, seed);
  const lists = inForce(more, matcherConfig);
  ask(lists, queries.slice(0, queries.length / 4));
  return { entries: more.length, ...speedOf(ask(lists, queries)) };
}

function scan(
  entries: readonly ListEntry[],
  queries: readonly Query[],
): Speed & { readonly queries: number } {
  const best = plainScan(entries);
  const some = queries.slice(0, scannedMax);
  const times = some.map((query) => {
    const cpu = process.threadCpuUsage();
    const started = performance.now();
    best(query);
    const { user, system } = process.threadCpuUsage(cpu);
    return { ms: performance.now() - started, cpuMs: (user + system) / 1000 };
  });
  return { ...speedOf(times), queries: some.length };
}

/** What a program of this folder measures, where nothing else is in memory. */
function alone<T>(program: string, path: string): T {
  const file = join(import.meta.dirname, program);
  const answer = execFileSync(process.execPath, ["--expose-gc", file, path]);
  return JSON.parse(answer.toString("utf8")) as T;
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
