import { readdirSync, readFileSync } from "node:fs";

/** What the kernel shows of a process: `/proc/PID/stat`, which only Linux has. */
export type ProcessStat = {
  readonly parentPid: number;
  readonly name: string;
  /** User and system time, in clock ticks. */
  readonly cpuTicks: number;
  /** Resident memory, in pages. */
  readonly residentPages: number;
};

/** USER_HZ and the page size are the same on every Linux that this runs on. */
const tickMicroseconds = 10_000;
const pageBytes = 4_096;

/** Reads the line of `/proc/PID/stat`; see proc(5). A name may hold spaces and brackets. */
export function readStat(line: string): ProcessStat {
  const nameEnd = line.lastIndexOf(")");
  const fields = line.slice(nameEnd + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  return {
    parentPid: field(4),
    name: line.slice(line.indexOf("(") + 1, nameEnd),
    cpuTicks: field(14) + field(15),
    residentPages: field(24),
  };
}

/** Whether processes can be measured on this platform. */
export const canMeasureProcesses = process.platform === "linux";

/** CPU time that a process has used, in microseconds; `undefined` where it cannot be measured. */
export function cpuMicroseconds(pid: number): number | undefined {
  const stat = canMeasureProcesses ? statOf(pid) : undefined;
  return stat && stat.cpuTicks * tickMicroseconds;
}

/** Resident memory of a process, in bytes; `undefined` where it cannot be measured. */
export function residentBytes(pid: number): number | undefined {
  const stat = canMeasureProcesses ? statOf(pid) : undefined;
  return stat && stat.residentPages * pageBytes;
}

/** A process of a tree, with its resident memory. */
export type ResidentProcess = {
  readonly name: string;
  /** Its command line, with spaces between the arguments. */
  readonly command: string;
  readonly bytes: number;
};

/** A process and all that descend from it. */
export function residentTree(root: number): ResidentProcess[] {
  const all = new Map<number, ProcessStat>();
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined;
    if (stat !== undefined) all.set(Number(entry), stat);
  }
  const below = (pid: number): ResidentProcess[] => {
    const stat = all.get(pid);
    if (stat === undefined) return [];
    const children = [...all].filter(([, { parentPid }]) => parentPid === pid);
    const bytes = stat.residentPages * pageBytes;
    const own = { name: stat.name, command: commandOf(pid), bytes };
    return [own, ...children.flatMap(([child]) => below(child))];
  };
  return below(root);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trimEnd();
  } catch {
    return "";
  }
}

/** `undefined` when the process has gone. */
function statOf(pid: number): ProcessStat | undefined {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}
