import type { MongoClient } from "mongodb";
import {
  type CommandCounts,
  commandsBetween,
  dataCommands,
  scaledCounts,
} from "./command-counts.ts";
import { cpuMicroseconds } from "./process-usage.ts";

/** CPU time by process, in microseconds; `undefined` where it cannot be measured. */
export type CpuTimes = Readonly<Record<string, number | undefined>>;

/** What processes and engine had done at a moment. */
export type Reading = {
  readonly atMs: number;
  readonly cpu: CpuTimes;
  readonly commands: CommandCounts;
};

/** What was done between two readings, by process and by command. */
export type Spent = {
  readonly elapsedMs: number;
  readonly cpu: CpuTimes;
  readonly commands: CommandCounts;
};

/** Reads what the processes have used and what the engine has run so far. */
export async function takeReading(
  mongo: MongoClient,
  pids: Readonly<Record<string, number | undefined>>,
): Promise<Reading> {
  const commands = await readCommands(mongo);
  const cpu = Object.entries(pids).map(([name, pid]) => {
    return [name, pid === undefined ? undefined : cpuMicroseconds(pid)] as const;
  });
  return { atMs: performance.now(), cpu: Object.fromEntries(cpu), commands };
}

/** The engine counts each command that it runs. */
async function readCommands(mongo: MongoClient): Promise<CommandCounts> {
  const { metrics } = await mongo.db("admin").command({ serverStatus: 1 });
  const counted = metrics.commands as Record<string, { total?: number } | undefined>;
  const pairs = dataCommands.map((name) => [name, Number(counted[name]?.total ?? 0)] as const);
  return Object.fromEntries(pairs);
}

/** What was done between two readings, less what an idle platform does in that time. */
export function spentBetween(before: Reading, after: Reading, idle?: Spent): Spent {
  const elapsedMs = after.atMs - before.atMs;
  const share = idle === undefined ? 0 : elapsedMs / idle.elapsedMs;
  const cpu = Object.entries(after.cpu).map(([name, used]) => {
    const since = before.cpu[name];
    if (used === undefined || since === undefined) return [name, undefined] as const;
    return [name, Math.max(0, used - since - (idle?.cpu[name] ?? 0) * share)] as const;
  });
  return {
    elapsedMs,
    cpu: Object.fromEntries(cpu),
    commands: commandsBetween(
      before.commands,
      after.commands,
      scaledCounts(idle?.commands ?? {}, share),
    ),
  };
}
