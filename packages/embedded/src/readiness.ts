import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type NetConnectOpts } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { SupervisedProcess } from "./supervised-process.ts";

/** Short enough not to be felt at start, long enough to leave the processor to the child. */
const pollMs = 25;

/** What to wait for, and how to speak of it when it does not come. */
export interface Readiness {
  name: string;
  process: SupervisedProcess;
  ready: () => Promise<boolean>;
  timeoutMs: number;
  logFile: string;
}

/**
 * Waits until a just started process serves. When it ends before, or takes too long and is
 * stopped for it, throws with the last lines of its log.
 */
export async function waitUntilReady(waited: Readiness): Promise<void> {
  let ended: string | undefined;
  void waited.process.exited.then((how) => {
    ended = how;
  });
  const deadline = performance.now() + waited.timeoutMs;
  while (ended === undefined && performance.now() < deadline) {
    if (await waited.ready()) return;
    await pause(pollMs);
  }
  const what = ended ?? `not ready after ${waited.timeoutMs / 1000} s`;
  await waited.process.stop();
  throw new Error(`${waited.name} did not start: ${what}.\n${await logTail(waited.logFile)}`);
}

/** Whether something answers there: it accepts, and replies to `greeting` if one is given. */
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
