import { readFileSync } from "node:fs";

export function familyOf(pid: number): number[] {
  let children = "";
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    // The process has ended.
    return [];
  }
  const own = children.split(" ").filter((text) => text !== "");
  return [pid, ...own.map(Number).flatMap(familyOf)];
}

/** Signals a process and all its descendants. Returns their number. */
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
