import { matcherConfig } from "../domain/matcher-config.ts";
import { inForce } from "./answers.ts";
import { entriesOf } from "./query-set.ts";

/** What an index costs a process that has nothing else; printed as one line of JSON. */
export type Footprint = {
  /** From the packed lines to an index that answers. */
  readonly startMs: number;
  readonly startCpuMs: number;
  /** Of heap and buffers, entries included, after a full collection. */
  readonly megabytes: number;
};

const collect = globalThis.gc;
if (collect === undefined) throw new Error("run with --expose-gc");
const used = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};

const [path = ""] = process.argv.slice(2);
const before = used();
const started = performance.now();
const cpu = process.threadCpuUsage();
const lists = inForce(entriesOf(path), matcherConfig);
const startMs = performance.now() - started;
const { user, system } = process.threadCpuUsage(cpu);
const footprint: Footprint = {
  startMs,
  startCpuMs: (user + system) / 1000,
  megabytes: used() - before,
};
// Read after the measure, so that nothing of the index is collected before.
if (lists.lists.length === 0) throw new Error("nothing was indexed");
process.stdout.write(JSON.stringify(footprint));
