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

interface SupervisedCommand {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  logFile: string;
  onStart?: (child: SupervisedProcess) => Promise<void>;
  ready: () => Promise<boolean>;
  startTimeoutMs: number;
  stopTimeoutMs: number;
}

/** A child process that always ends when this process ends. */
export interface SupervisedProcess {
  pid: number;
  supervisorPid: number;
  exited: Promise<string>;
  /** Reports the exit status or signal if the process ends without `stop`. */
  onLost(listener: (how: string) => void): void;
  /** Stops the process and waits until it has ended. Kills it after the stop timeout. */
  stop(): Promise<void>;
}

/**
 * Starts a command under a supervisor and waits until it accepts connections. The supervisor is a
 * shell in its own session, so Ctrl-C doesn't reach it. It ends the command when this process ends
 * for any reason. If the supervisor is killed, this process ends the command. If the command ends
 * or times out before it accepts connections, throws with the last lines of its log.
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
  // The supervisor may end before its lifeline (a pipe) is closed. `exited` reports that.
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

/** Makes an error from a listener end the process, as in any other event listener. */
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

/** Kills the remaining processes of a supervisor's group. */
function endGroup(supervisorPid: number | undefined): void {
  if (supervisorPid === undefined) return;
  try {
    process.kill(-supervisorPid, "SIGKILL");
  } catch (cause) {
    if (!isNoSuchProcess(cause)) throw cause;
  }
}

function isNoSuchProcess(cause: unknown): boolean {
  // macOS returns EPERM for a group that has only zombies.
  return cause instanceof Error && /ESRCH|EPERM/.test(cause.message);
}

/** The poll interval. It adds no noticeable delay and leaves the processor to the child. */
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
  const what = ended ?? `it was not ready after ${startTimeoutMs / 1000} s`;
  await child.stop();
  throw new Error(`${name} did not start: ${what}.\n${await logTail(logFile)}`);
}

/** Returns true if a server accepts connections and, if `greeting` is given, replies to it. */
export async function isServing(address: NetConnectOpts, greeting?: Buffer): Promise<boolean> {
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

async function logTail(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8").catch(() => "")).trimEnd().split("\n");
  return lines.slice(-12).join("\n");
}
