/** Shared helpers for tests: temporary folders, and processes to kill. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** An environment in which no installed engine or broker is found. */
export const bareEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  DISBURSE_CACHE_DIR: process.env.DISBURSE_CACHE_DIR,
};

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "disburse-embedded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Reported {
  pid: number;
  address: string;
}

/** Runs a module's start function in a child process, which the test can kill. */
export async function startInChildProcess(
  module: string,
  code: string,
): Promise<Reported & { kill: (others?: readonly number[]) => Promise<void> }> {
  const file = join(import.meta.dirname, module);
  const script = `import * as part from ${JSON.stringify(file)}; ${code}; setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: bareEnv,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const kill = async (others: readonly number[] = []): Promise<void> => {
    const pids = [child.pid ?? 0, ...others];
    execFileSync("/bin/sh", ["-c", `kill -KILL ${pids.join(" ")}`]);
    await once(child, "exit");
  };
  onTestFinished(() => void child.kill("SIGKILL"));
  return { ...(JSON.parse(line) as Reported), kill };
}

/** Polls until the condition holds or the test times out. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(20);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !existsSync("/proc/self") || existsSync(`/proc/${pid}/exe`);
}
