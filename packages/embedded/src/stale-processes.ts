import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { folderInUseError } from "./data-folder.ts";
import type { SupervisedProcess } from "./supervised-process.ts";

const run = promisify(execFile);
const pollMs = 100;

/** A process that uses a data folder, stored in `processes.json` for the next start. */
interface RecordedProcess {
  pid: number;
  keeperPid: number;
  starterPid: number;
  /**
   * A text in the command lines of both the process and its supervisor. The pid alone is not
   * enough, because it may be reused.
   */
  mark: string;
}

export async function recordProcesses(
  file: string,
  processes: readonly { child: SupervisedProcess; mark: string }[],
): Promise<void> {
  const recorded = processes.map(({ child: { pid, supervisorPid }, mark }): RecordedProcess => {
    return { pid, keeperPid: supervisorPid, starterPid: process.pid, mark };
  });
  await writeFile(file, JSON.stringify(recorded));
}

/**
 * Waits until no process of an earlier run uses the folder. If the earlier starter was killed, its
 * supervisors get time to stop their processes. If the supervisors were killed too, this function
 * kills the processes. Throws if the starter is still alive, because the folder is then in use.
 */
export async function stopStaleProcesses(
  file: string,
  { folder, timeoutMs }: { folder: string; timeoutMs: number },
): Promise<void> {
  const recorded = await readRecord(file);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const states = await Promise.all(recorded.map(stateOf));
    if (states.includes("in use")) throw folderInUseError(folder);
    for (const [index, { pid }] of recorded.entries()) {
      const overdue = states[index] === "ending" && performance.now() > deadline;
      if (states[index] === "orphaned" || overdue) killIfAlive(pid);
    }
    if (states.every((state) => state === "gone")) return;
    await pause(pollMs);
  }
}

async function readRecord(file: string): Promise<RecordedProcess[]> {
  const text = await readFile(file, "utf8").catch(() => "[]");
  try {
    return JSON.parse(text) as RecordedProcess[];
  } catch {
    return [];
  }
}

type State = "gone" | "in use" | "ending" | "orphaned";

async function stateOf(recorded: RecordedProcess): Promise<State> {
  const [own, supervisor] = await Promise.all([inspect(recorded.pid), inspect(recorded.keeperPid)]);
  if (own?.args.includes(recorded.mark) !== true) return "gone";
  if (supervisor?.args.includes(recorded.mark) !== true) return "orphaned";
  // If its starter has died, a supervisor gets another parent process.
  return supervisor.parent === recorded.starterPid ? "in use" : "ending";
}

/**
 * Returns a process's parent and arguments. Returns `undefined` if the process has ended. A zombie
 * has no arguments.
 */
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

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes("ESRCH"))) throw cause;
  }
}
