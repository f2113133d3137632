import { readFileSync } from "node:fs";

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
