import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
  hasQuerySet,
  listFile,
  queriesOf,
  queryFile,
} from "@disburse/name-matcher/measure/query-set.ts";
import type { Footprint } from "./footprint.ts";
import type { Start } from "./index-start.ts";
import { measureIndex } from "./index-switch.ts";
import { entriesOf } from "./measured-store.ts";

const say = (label: string, values: readonly number[]): void =>
  void process.stdout.write(
    `${label.padEnd(56)}${values.map((value) => value.toFixed(1).padStart(9)).join("")}\n`,
  );

/** What a program of this folder measures, where nothing else is in memory. */
function alone<T>(program: string): T {
  const file = join(import.meta.dirname, program);
  const answer = execFileSync(process.execPath, ["--expose-gc", file, listFile]);
  return JSON.parse(answer.toString("utf8")) as T;
}

if (hasQuerySet) {
  const parties = queriesOf(queryFile).map(({ party }) => party);
  const { quiet, switching, loopWorstMs } = await measureIndex(entriesOf(listFile), parties);
  say("ms through the index's thread: p50, p99, max", [quiet.half, quiet.most, quiet.worst]);
  say("  while another index takes over", [switching.half, switching.most, switching.worst]);
  say("  the service's own thread late by, 200 in flight", [loopWorstMs]);
  const { megabytes, threadMegabytes } = alone<Footprint>("footprint.ts");
  say("MB of the index; of its thread by itself", [megabytes, threadMegabytes]);
  const start = alone<Start>("index-start.ts");
  say("ms of a start: p50, max; of the processor", [start.half, start.worst, start.cpuHalf]);
} else process.stdout.write("the query set is not beside the project: nothing measured\n");
