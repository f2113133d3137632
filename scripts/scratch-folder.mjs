// A folder for the temporary files of a program, which leaves nothing behind.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outliveSignals } from "./foreground.mjs";

/**
 * Runs `use` with a new folder, the `TMPDIR` of its program, and cleans up. `use` forwards
 * termination signals to the program, as `runNode` does: none of them ends this process before the
 * folder is removed.
 */
export async function withScratchFolder(prefix, use) {
  const obeySignals = outliveSignals();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  try {
    return await use(folder);
  } finally {
    cleanUp(folder);
    obeySignals();
  }
}

/** Removes the remains of an interrupted program: processes, mounted disks, files. */
function cleanUp(folder) {
  if (process.platform === "linux") {
    // Each process that the program starts has the folder in its environment.
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (environmentOfProcess(pid).includes(`TMPDIR=${folder}`)) endProcess(Number(pid));
    }
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    for (const mount of mounts.map((line) => line.split(" ")[1] ?? "")) {
      if (mount.startsWith(`${folder}/`)) execFileSync("umount", ["-l", mount]);
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

function environmentOfProcess(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}

function endProcess(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
