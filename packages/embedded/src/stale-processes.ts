import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { folderInUse } from "./data-folder.ts";
import type { KeptProcess } from "./kept-process.ts";

const run = promisify(execFile);
const pollMs = 100;

/** A process that works on a data folder, as the next start needs to know it. */
interface NotedProcess {
  pid: number;
  keeperPid: number;
  starterPid: number;
  /** Part of its and its keeper's command line: pids are used again, this with them is not. */
  mark: string;
}

/** Notes in a file who works on the data folder, for the next start on it. */
export async function noteProcesses(
  file: string,
  processes: readonly { kept: KeptProcess; mark: string }[],
): Promise<void> {
  const noted = processes.map(({ kept: { pid, keeperPid }, mark }): NotedProcess => {
    return { pid, keeperPid, starterPid: process.pid, mark };
  });
  await writeFile(file, JSON.stringify(noted));
}

/**
 * Makes sure that nothing of an earlier run still works on the folder. Processes whose starter
 * was killed get time to be ended by their keepers; those whose keepers were killed too are
 * killed here. Throws when the starter is alive, because then the folder is in use.
 */
export async function endLeftovers(
  file: string,
  { folder, timeoutMs }: { folder: string; timeoutMs: number },
): Promise<void> {
  const noted = await readNote(file);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const states = await Promise.all(noted.map(stateOf));
    if (states.includes("in use")) throw folderInUse(folder);
    for (const [index, { pid }] of noted.entries()) {
      const overdue = states[index] === "ending" && performance.now() > deadline;
      if (states[index] === "orphaned" || overdue) killIfThere(pid);
    }
    if (states.every((state) => state === "gone")) return;
    await pause(pollMs);
  }
}

async function readNote(file: string): Promise<NotedProcess[]> {
  const text = await readFile(file, "utf8").catch(() => "[]");
  try {
    return JSON.parse(text) as NotedProcess[];
  } catch {
    // A crash cut it short while it was written.
    return [];
  }
}

type State = "gone" | "in use" | "ending" | "orphaned";

async function stateOf(noted: NotedProcess): Promise<State> {
  const [own, keeper] = await Promise.all([inspect(noted.pid), inspect(noted.keeperPid)]);
  if (own?.args.includes(noted.mark) !== true) return "gone";
  if (keeper?.args.includes(noted.mark) !== true) return "orphaned";
  // A keeper whose starter died has got another parent.
  return keeper.parent === noted.starterPid ? "in use" : "ending";
}

/** A process's parent and arguments; undefined when it is gone. A zombie has no arguments. */
async function inspect(pid: number): Promise<{ parent: number; args: string } | undefined> {
  try {
    if (process.platform !== "linux") {
      const { stdout } = await run("ps", ["-o", "ppid=,args=", "-p", String(pid)]);
      return { parent: Number.parseInt(stdout, 10), args: stdout };
    }
    const args = await readFile(`/proc/${pid}/cmdline`, "utf8");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const parent = Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
    return { parent, args: args.replaceAll("\0", " ") };
  } catch {
    return undefined;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes("ESRCH"))) throw cause;
  }
}
