import { accessSync, constants, mkdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The maximum length of the temporary folder's path. A Unix socket path may have 104 bytes on
 * macOS, and sockets in this folder need 60 of them.
 */
const tmpdirLengthMax = 44;

/** Creates a folder that only this user can read. Error messages explain what to do. */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The data folder ${folder} cannot be used: ${reason}. ` +
        "Give it to this user, or choose another with DATA_DIR.",
      { cause },
    );
  }
}

export function folderInUseError(folder: string, cause?: unknown): Error {
  return new Error(
    `The data folder ${folder} is in use by another process. ` +
      "Stop that one, or choose another folder with DATA_DIR.",
    { cause },
  );
}

export function socketFolder(): Promise<string> {
  const parent = tmpdir().length <= tmpdirLengthMax ? tmpdir() : "/tmp";
  return mkdtemp(join(parent, "disburse-"));
}
