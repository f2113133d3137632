import { readFileSync } from "node:fs";
import type { MongoClient } from "mongodb";

/** `undefined` if a count can't be measured. */
type Counts = Readonly<Record<string, number | undefined>>;

/** Work of processes and engine, in total or between two readings. */
export type Usage = {
  readonly elapsedMs: number;
  readonly cpu: Counts;
  readonly engine: {
    readonly commands: number;
    readonly writes: number;
    /** Bytes written to the journal, or `undefined` if the engine doesn't count them. */
    readonly journalBytes: number | undefined;
  };
};

/** A process on another machine has no pid. */
export type Pids = Readonly<Record<string, number | undefined>>;

/** Reads the total work of the processes and the engine. */
export async function readUsage(mongo: MongoClient, pids: Pids): Promise<Usage> {
  const { metrics, wiredTiger } = await mongo.db("admin").command({ serverStatus: 1 });
  const journal = wiredTiger?.log?.["log bytes written"];
  const commands = dataCommands.map((name) => Number(metrics.commands[name]?.total ?? 0));
  const cpu = Object.entries(pids).map(([name, pid]) => {
    return [name, pid === undefined ? undefined : cpuMicroseconds(pid)] as const;
  });
  const { inserted, updated, deleted } = metrics.document;
  return {
    elapsedMs: performance.now(),
    cpu: Object.fromEntries(cpu),
    engine: {
      commands: commands.reduce((sum, count) => sum + count, 0),
      writes: Number(inserted) + Number(updated) + Number(deleted),
      journalBytes: journal === undefined ? undefined : Number(journal),
    },
  };
}

/** Commands that read or write documents. Others maintain connections or read states. */
const dataCommands = [
  ...["find", "getMore", "insert", "update", "delete", "findAndModify", "bulkWrite"],
  ...["aggregate", "count", "distinct"],
];

/** Subtracts a multiple of `other`, down to zero. */
export function lessUsage(usage: Usage, other: Usage, factor = 1): Usage {
  const less = <C extends Counts>(counts: C, others: Counts) => {
    const entries = Object.entries(counts).map(([name, count]) => {
      const taken = (others[name] ?? 0) * factor;
      return [name, count === undefined ? undefined : Math.max(0, count - taken)] as const;
    });
    return Object.fromEntries(entries) as C;
  };
  return {
    elapsedMs: usage.elapsedMs - other.elapsedMs * factor,
    cpu: less(usage.cpu, other.cpu),
    engine: less(usage.engine, other.engine),
  };
}

/** USER_HZ is the same on every supported Linux. */
const tickMicroseconds = 10_000;

/** Reads user and system time in clock ticks from a line of `/proc/PID/stat` (proc(5)). */
export function readCpuTicks(line: string): number {
  // The process's name, in brackets, may contain spaces and brackets.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  return field(14) + field(15);
}

/** Returns a process's CPU time in µs, or `undefined` if it ended or the system isn't Linux. */
export function cpuMicroseconds(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readCpuTicks(readFileSync(`/proc/${pid}/stat`, "utf8")) * tickMicroseconds;
  } catch {
    return undefined;
  }
}
