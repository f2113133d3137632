import { readFileSync } from "node:fs";

/** A process and all that it started, itself first; Linux only, as faults are. */
export function familyOf(pid: number): number[] {
  let children = "";
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    // It has gone meanwhile.
    return [];
  }
  const own = children.split(" ").filter((text) => text !== "");
  return [pid, ...own.map(Number).flatMap(familyOf)];
}

/** Sends a signal to a process and all that it started; answers how many there were. */
export function signalFamily(pid: number, signal: NodeJS.Signals): number {
  const family = familyOf(pid);
  for (const member of family) {
    try {
      process.kill(member, signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("ESRCH"))) throw error;
    }
  }
  return family.length;
}
