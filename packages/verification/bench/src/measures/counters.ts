import { readFileSync } from "node:fs";
import type { MongoClient } from "mongodb";

/** CPU time by process, in microseconds; `undefined` where it cannot be measured. */
export type CpuTimes = Readonly<Record<string, number | undefined>>;

/** What processes and engine had done at a moment. */
export type UsageReading = {
  readonly atMs: number;
  readonly cpu: CpuTimes;
  readonly commands: CommandCounts;
  /** Documents that were inserted, updated or deleted. */
  readonly writes: number;
  /** Bytes of the engine's journal; `undefined` if the engine does not count them. */
  readonly journalBytes: number | undefined;
};

/** What was done between two readings, by process and by command. */
export type Usage = Omit<UsageReading, "atMs"> & { readonly elapsedMs: number };

/** Reads what the processes have used and what the engine has run so far. */
export async function readUsage(
  mongo: MongoClient,
  pids: Readonly<Record<string, number | undefined>>,
): Promise<UsageReading> {
  // The engine counts each command that it runs, and each document that one changes.
  const { metrics, wiredTiger } = await mongo.db("admin").command({ serverStatus: 1 });
  const journal = wiredTiger?.log?.["log bytes written"];
  const commands = dataCommands.map((name) => {
    return [name, Number(metrics.commands[name]?.total ?? 0)] as const;
  });
  const cpu = Object.entries(pids).map(([name, pid]) => {
    return [name, pid === undefined ? undefined : cpuMicroseconds(pid)] as const;
  });
  const { inserted, updated, deleted } = metrics.document;
  return {
    atMs: performance.now(),
    cpu: Object.fromEntries(cpu),
    commands: Object.fromEntries(commands),
    writes: Number(inserted) + Number(updated) + Number(deleted),
    journalBytes: journal === undefined ? undefined : Number(journal),
  };
}

/** What was done between two readings, less what an idle platform does in that time. */
export function usageBetween(before: UsageReading, after: UsageReading, idle?: Usage): Usage {
  const elapsedMs = after.atMs - before.atMs;
  const share = idle === undefined ? 0 : elapsedMs / idle.elapsedMs;
  const cpu = Object.entries(after.cpu).map(([name, used]) => {
    const since = before.cpu[name];
    if (used === undefined || since === undefined) return [name, undefined] as const;
    return [name, Math.max(0, used - since - (idle?.cpu[name] ?? 0) * share)] as const;
  });
  const atRest = scaledCounts(idle?.commands ?? {}, share);
  const commands = commandsBetween(before.commands, after.commands, atRest);
  const since = (key: "writes" | "journalBytes") =>
    Math.max(0, (after[key] ?? 0) - (before[key] ?? 0) - (idle?.[key] ?? 0) * share);
  return {
    elapsedMs,
    cpu: Object.fromEntries(cpu),
    commands,
    writes: since("writes"),
    journalBytes: after.journalBytes === undefined ? undefined : since("journalBytes"),
  };
}

/** How often each MongoDB command ran; `find` counts a query, `getMore` each further batch. */
export type CommandCounts = Readonly<Record<string, number>>;

/** The commands that read or write documents; the rest keeps connections and reads states. */
const dataCommands = [
  "find",
  "getMore",
  "insert",
  "update",
  "delete",
  "findAndModify",
  "aggregate",
  "count",
  "distinct",
  "bulkWrite",
] as const;

/** What ran between two readings, each less what an idle platform runs in the same time. */
export function commandsBetween(
  before: CommandCounts,
  after: CommandCounts,
  idle: CommandCounts = {},
): CommandCounts {
  const counts = Object.entries(after).map(([name, count]) => {
    return [name, Math.max(0, count - (before[name] ?? 0) - (idle[name] ?? 0))] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Each count times a factor. */
export function scaledCounts(counts: CommandCounts, factor: number): CommandCounts {
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n * factor]));
}

/** All commands together. */
export function commandTotal(counts: CommandCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** USER_HZ is the same on every Linux that this runs on. */
const tickMicroseconds = 10_000;

/** Reads user and system time, in clock ticks, from a line of `/proc/PID/stat`: see proc(5). */
export function readCpuTicks(line: string): number {
  // The process's name, in brackets, may contain spaces and brackets.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  return field(14) + field(15);
}

/** CPU time that a process has used, in µs; `undefined` if it ended, or not on Linux. */
export function cpuMicroseconds(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readCpuTicks(readFileSync(`/proc/${pid}/stat`, "utf8")) * tickMicroseconds;
  } catch {
    return undefined;
  }
}
