import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createLog } from "@disburse/chassis/log.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import {
  hasQuerySet,
  listFile,
  queriesOf,
  queryFile,
} from "@disburse/name-matcher/measure/query-set.ts";
import { quantile } from "@disburse/name-matcher/measure/speed.ts";
import { watchLists } from "../index/watch.ts";
import { packEntries } from "../lists/chunks.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import { entriesOf, measuredStore } from "./measured-store.ts";

const quietQuestions = 500;
const inFlight = 200;

const print = (label: string, values: readonly number[]): void =>
  void process.stdout.write(
    `${label.padEnd(56)}${values.map((value) => value.toFixed(1).padStart(9)).join("")}\n`,
  );

/**
 * Runs a program of this folder in its own process, so that only the program's memory is measured.
 */
function alone<Figure extends string>(program: string): Record<Figure, number> {
  const file = join(import.meta.dirname, program);
  const answer = execFileSync(process.execPath, ["--expose-gc", file, listFile]);
  return JSON.parse(answer.toString("utf8"));
}

if (hasQuerySet) {
  const parties = queriesOf(queryFile).map(({ party }) => party);
  const { quiet, switching, loopWorstMs } = await measureIndex(entriesOf(listFile), parties);
  print("ms through the index's thread: p50, p99, max", [quiet.half, quiet.most, quiet.worst]);
  print("  while another index takes over", [switching.half, switching.most, switching.worst]);
  print("  the service's own thread late by, 200 in flight", [loopWorstMs]);
  const { megabytes, threadMegabytes } = alone<"megabytes" | "threadMegabytes">("footprint.ts");
  print("MB of the index; of its thread by itself", [megabytes, threadMegabytes]);
  const start = alone<"half" | "worst" | "cpuHalf">("index-start.ts");
  print("ms of a start: p50, max; of the processor", [start.half, start.worst, start.cpuHalf]);
} else process.stdout.write("the query set is not beside the project: nothing measured\n");

/**
 * Measures an index of these entries, in milliseconds. One client screens the parties in turn:
 * first on an idle service, then while another version is indexed and replaces the first. Also
 * measures the longest delay of the service's own thread during 200 concurrent requests.
 */
async function measureIndex(entries: readonly ListEntry[], parties: readonly Party[]) {
  const versions = [entries, entries.slice(1)].map((some) => packEntries("measured", some));
  let at = 0;
  const store = measuredStore(() => versions[at] ?? []);
  const log = createLog("measure", "silent");
  const watch = watchLists({ store, log });
  const current = (): ScreeningIndex => {
    const index = watch.current();
    if (index === undefined) throw new Error("no index");
    return index;
  };
  const measureOne = async (question: number): Promise<number> => {
    const party = parties[question % parties.length];
    const started = performance.now();
    await current().screen({ parties: party === undefined ? [] : [party], wallets: [] });
    return performance.now() - started;
  };

  await watch.refresh();
  const quiet = await measureInTurn(measureOne, (count) => count < quietQuestions);
  at = 1;
  const switched = watch.refresh().then(() => "switched");
  let isSwitched = false;
  const ended = () => {
    isSwitched = true;
  };
  switched.then(ended, ended);
  const switching = await measureInTurn(measureOne, () => !isSwitched);
  await switched;

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await Promise.all(Array.from({ length: inFlight }, (_, question) => measureOne(question)));
  delay.disable();
  await watch.stop();
  const spread = (times: readonly number[]) => ({
    half: quantile(times, 0.5),
    most: quantile(times, 0.99),
    worst: quantile(times, 1),
  });
  const loopWorstMs = delay.max / 1e6;
  return { quiet: spread(quiet), switching: spread(switching), loopWorstMs };
}

async function measureInTurn(
  measureOne: (question: number) => Promise<number>,
  goOn: (count: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (goOn(times.length)) times.push(await measureOne(times.length));
  return times;
}
