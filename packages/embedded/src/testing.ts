/** What the tests of this package share: folders that go away, and starters that get killed. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** An environment that names neither an engine nor a broker of the machine's. */
export const bareEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  DISBURSE_CACHE_DIR: process.env.DISBURSE_CACHE_DIR,
};

/** A temporary folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "disburse-embedded-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What a started part says of itself to the test. */
export interface Reported {
  pid: number;
  address: string;
}

/** Runs a module's start function in a process of its own, to be killed like a crashed one. */
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

/** Polls until the condition holds; the test's own time limit ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(20);
}

/** Whether a process is there; on Linux a zombie counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !existsSync("/proc/self") || existsSync(`/proc/${pid}/exe`);
}
