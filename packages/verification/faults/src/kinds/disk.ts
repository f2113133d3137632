import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onPath } from "@disburse/embedded/executables.ts";
import { settlesWithin } from "@disburse/harness/waiting.ts";
import { type Fault, underLoad } from "../context.ts";

/** Within this time, the engine's next write meets the full disk or the I/O error. */
const meetMs = 15_000;
const lateMs = 5_000;
const warmUpMs = 500;
const pieceBytes = 1_048_576;
/**
 * Free space that remains, because other processes write too. The fault fills the rest of the disk
 * at once.
 */
const leftBytes = 16 * pieceBytes;

export const diskFullFault: Fault = {
  name: "disk-full",
  about: "no space left for the database, and space again",
  unavailable: ({ disk }) => (disk === undefined ? "needs root and a loop device" : undefined),
  run: underLoad(async (context) => {
    const { disk = "", backends } = context;
    await pause(warmUpMs);
    const filler = join(disk, "filler");
    fill(filler);
    context.fired("disk full");
    const wasEarly = await settlesWithin(backends.engine.gone(), meetMs);
    rmSync(filler);
    // The engine may have met the full disk and be about to end.
    if (!wasEarly && !(await settlesWithin(backends.engine.gone(), lateMs))) return;
    context.fired("engine ended by a full disk");
    await backends.engine.start();
  }),
};

export const diskErrorFault: Fault = {
  name: "disk-error",
  about: "fdatasync of the database engine returns EIO",
  unavailable: () => (onPath("strace", process.env) === undefined ? "needs strace" : undefined),
  run: underLoad(async (context) => {
    const { backends } = context;
    await pause(warmUpMs);
    const pid = String(backends.engine.pid());
    const inject = ["-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO"];
    const strace = spawn("strace", ["-f", "-qq", "-o", "/dev/null", ...inject, "-p", pid], {
      stdio: "ignore",
    });
    const ended = await settlesWithin(backends.engine.gone(), meetMs);
    strace.kill("SIGTERM");
    if (ended) context.fired("engine ended by a disk error");
    else await backends.engine.kill();
    await backends.engine.start();
  }),
};

function fill(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  const bytes = Math.max(bsize, bavail * bsize - leftBytes);
  execFileSync("fallocate", ["-l", String(bytes), path], { stdio: "ignore" });
  const file = openSync(path, "a");
  const piece = Buffer.alloc(pieceBytes);
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("ENOSPC"))) throw error;
  } finally {
    closeSync(file);
  }
}

/** Mounts a small disk on a folder. Returns `undefined` if that is not permitted. */
export function mountSmallDisk(folder: string, megabytes: number): (() => void) | undefined {
  const image = `${folder}.img`;
  try {
    execFileSync("truncate", ["-s", `${megabytes}M`, image], { stdio: "ignore" });
    execFileSync("mkfs.ext4", ["-q", "-m", "0", image], { stdio: "ignore" });
    execFileSync("mount", ["-o", "loop", image, folder], { stdio: "ignore" });
  } catch {
    // Without root, a loop device or Linux, disk faults are skipped.
    rmSync(image, { force: true });
    return undefined;
  }
  return () => {
    // Unmounts lazily, because an engine that was interrupted while starting may still use the disk
    // briefly.
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    rmSync(image, { force: true });
  };
}
