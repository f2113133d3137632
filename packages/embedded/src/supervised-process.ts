import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

const supervisor = join(import.meta.dirname, "supervisor.sh");

/** What to run, and how long it may take to stop before it is killed. */
export interface SupervisedCommand {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The file that takes what it writes to standard output and error. */
  logFile: string;
  stopTimeoutMs: number;
}

/** A child process that cannot outlive this one. */
export interface SupervisedProcess {
  pid: number;
  /** The pid of the shell that watches over it. */
  supervisorPid: number;
  /** Settles when the process is gone, with how it ended in words. */
  exited: Promise<string>;
  /** Asks it to stop, waits until it is gone, and kills it when it takes too long. */
  stop(): Promise<void>;
}

/**
 * Starts a command under a supervisor: a shell of a session of its own, so that a Ctrl-C in the
 * terminal does not reach the command, which ends the command when this process ends in any
 * way. Should the supervisor be killed, this process ends the command instead.
 */
export async function startSupervised(kept: SupervisedCommand): Promise<SupervisedProcess> {
  const log = openSync(kept.logFile, "w", 0o600);
  const patience = String(Math.ceil(kept.stopTimeoutMs / 100));
  const child = spawn("/bin/sh", [supervisor, patience, kept.command, ...kept.args], {
    detached: true,
    env: kept.env,
    cwd: kept.cwd,
    stdio: ["ignore", log, log, "pipe", "pipe"],
  });
  closeSync(log);
  const exited = exitOf(child);
  const lifeline = child.stdio[3] as Writable;
  // The supervisor may be gone before its lifeline is ended; `exited` is what tells that.
  lifeline.on("error", () => lifeline.destroy());
  const reported = Number(await text(child.stdio[4] as Readable));
  if (!reported || child.pid === undefined) {
    throw new Error(`${kept.command} could not be started: ${await exited}`);
  }
  const stop = async (): Promise<void> => {
    lifeline.end();
    await exited;
  };
  return { pid: reported, supervisorPid: child.pid, exited, stop };
}

async function exitOf(child: ChildProcess): Promise<string> {
  const exit = await once(child, "exit").catch((cause: Error) => [cause.message, null]);
  endGroup(child.pid);
  const [code, signal] = exit as [number | string | null, string | null];
  if (signal !== null) return `its supervisor was ended by ${signal}`;
  if (typeof code === "number" && code > 128) return `ended by signal ${code - 128}`;
  return typeof code === "number" ? `exit code ${code}` : String(code);
}

/** Whatever is left of a supervisor's process group once the supervisor itself has gone. */
function endGroup(supervisorPid: number | undefined): void {
  if (supervisorPid === undefined) return;
  try {
    process.kill(-supervisorPid, "SIGKILL");
  } catch (cause) {
    if (!isNoSuchProcess(cause)) throw cause;
  }
}

function isNoSuchProcess(cause: unknown): boolean {
  // macOS answers EPERM for a group of which only zombies are left.
  return cause instanceof Error && /ESRCH|EPERM/.test(cause.message);
}
