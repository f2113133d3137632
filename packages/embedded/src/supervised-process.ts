import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect, type NetConnectOpts } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const supervisor = join(import.meta.dirname, "supervisor.sh");

/** A command that serves, and how long it may take to start and to stop before it is killed. */
interface SupervisedCommand {
  /** For the error. */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Receives its standard output and error. */
  logFile: string;
  /** Runs before it serves. */
  onStart?: (child: SupervisedProcess) => Promise<void>;
  /** Whether it serves. */
  ready: () => Promise<boolean>;
  startTimeoutMs: number;
  stopTimeoutMs: number;
}

/** A child process that cannot outlive this one. */
export interface SupervisedProcess {
  pid: number;
  /** The pid of the supervising shell. */
  supervisorPid: number;
  /** Resolves when the process has ended, with how. */
  exited: Promise<string>;
  /** Calls this with how it ended, where it ends without `stop`. */
  onLost(listener: (how: string) => void): void;
  /** Stops it and waits until it has ended; kills it where it takes too long. */
  stop(): Promise<void>;
}

/**
 * Starts a command under a supervisor, and waits until it serves. The supervisor is a shell in a
 * session of its own, which Ctrl-C does not reach and which ends the command however this process
 * ends. Where the supervisor is killed, this process ends the command. Throws with the last lines
 * of its log where it ends before it serves, or takes too long.
 */
export async function startSupervised(run: SupervisedCommand): Promise<SupervisedProcess> {
  const child = await startUnder(run);
  await run.onStart?.(child);
  await waitUntilReady(run, child);
  return child;
}

async function startUnder(run: SupervisedCommand): Promise<SupervisedProcess> {
  const log = openSync(run.logFile, "w", 0o600);
  const patience = String(Math.ceil(run.stopTimeoutMs / 100));
  const child = spawn("/bin/sh", [supervisor, patience, run.command, ...run.args], {
    detached: true,
    env: run.env,
    cwd: run.cwd,
    stdio: ["ignore", log, log, "pipe", "pipe"],
  });
  closeSync(log);
  const exited = exitOf(child);
  const lifeline = child.stdio[3] as Writable;
  // The supervisor may end before its lifeline does; `exited` reports that.
  lifeline.on("error", () => lifeline.destroy());
  const reported = Number(await text(child.stdio[4] as Readable));
  if (!reported || child.pid === undefined) {
    throw new Error(`${run.command} could not be started: ${await exited}`);
  }
  let isStopping = false;
  return {
    pid: reported,
    supervisorPid: child.pid,
    exited,
    onLost: (listener) => {
      const lost = (how: string) => isStopping || listener(how);
      exited.then(lost).catch(endByThrowing);
    },
    stop: async () => {
      isStopping = true;
      lifeline.end();
      await exited;
    },
  };
}

/** What a listener throws ends the process, as what any other listener throws does. */
function endByThrowing(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

async function exitOf(child: ChildProcess): Promise<string> {
  const exit = await once(child, "exit").catch((cause: Error) => [cause.message, null]);
  endGroup(child.pid);
  const [code, signal] = exit as [number | string | null, string | null];
  if (signal !== null) return `its supervisor was ended by ${signal}`;
  if (typeof code === "number" && code > 128) return `ended by signal ${code - 128}`;
  return typeof code === "number" ? `exit code ${code}` : String(code);
}

/** Kills what is left of a supervisor's process group. */
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

/** Not noticeable at start, and leaves the processor to the child. */
const pollMs = 25;

async function waitUntilReady(
  { name, ready, startTimeoutMs, logFile }: SupervisedCommand,
  child: SupervisedProcess,
): Promise<void> {
  let ended: string | undefined;
  child.onLost((how) => {
    ended = how;
  });
  const deadline = performance.now() + startTimeoutMs;
  while (ended === undefined && performance.now() < deadline) {
    if (await ready()) return;
    await pause(pollMs);
  }
  const what = ended ?? `not ready after ${startTimeoutMs / 1000} s`;
  await child.stop();
  throw new Error(`${name} did not start: ${what}.\n${await logTail(logFile)}`);
}

/** Whether a server accepts there, and replies to `greeting` where one is given. */
export async function answers(address: NetConnectOpts, greeting?: Buffer): Promise<boolean> {
  const socket = connect({ ...address, timeout: 2_000 });
  socket.on("timeout", () => socket.destroy(new Error("timeout")));
  try {
    await once(socket, "connect");
    if (greeting === undefined) return true;
    socket.write(greeting);
    return await Promise.race([
      once(socket, "data").then(() => true),
      once(socket, "close").then(() => false),
    ]);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The last lines of a log, for an error message. */
async function logTail(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n");
  return lines.slice(-12).join("\n");
}
