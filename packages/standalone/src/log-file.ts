import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { LogDestination } from "@disburse/chassis/log.ts";

/** Many days of calls by hand; a load test does not fill the disk. */
const fileBytesMax = 16 * 1024 * 1024;
/** Lines are buffered this long, so that a busy platform writes hundreds at a time. */
const bufferMs = 20;
/** Only for this user. */
const folderMode = 0o700;
const fileMode = 0o600;

/** The paths of a data folder's log files, oldest first. */
export function logFiles(dataDir: string): readonly [string, string, string] {
  const path = join(dataDir, "log", "disburse.log");
  return [`${path}.2`, `${path}.1`, path];
}

export type LogFile = LogDestination & {
  /** Writes what is buffered; later lines are dropped. */
  close(): void;
};

/**
 * The log of a data folder: a file of `bytesMax`, exceeded by less than a line, and the two before
 * it. Buffered lines are written when the process exits, and lost when it is killed. `onError` is
 * called once, when the file can no longer be written.
 */
export function openLogFile(
  dataDir: string,
  onError: (error: NodeJS.ErrnoException) => void,
  bytesMax = fileBytesMax,
): LogFile {
  let buffered: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let file: RotatedFile | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const lines = buffered;
    buffered = [];
    try {
      file?.append(lines);
    } catch (error) {
      file = undefined;
      onError(error as NodeJS.ErrnoException);
    }
  };
  const close = () => {
    process.off("exit", close);
    flush();
    file?.close();
    file = undefined;
  };
  try {
    file = openRotated(dataDir, bytesMax);
    process.on("exit", close);
  } catch (error) {
    onError(error as NodeJS.ErrnoException);
  }
  return {
    write: (line) => {
      if (file === undefined) return;
      buffered.push(line);
      timer ??= setTimeout(flush, bufferMs).unref();
    },
    close,
  };
}

type RotatedFile = { append(lines: readonly string[]): void; close(): void };

function openRotated(dataDir: string, bytesMax: number): RotatedFile {
  const [oldest, previous, path] = logFiles(dataDir);
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  let descriptor = openSync(path, "a", fileMode);
  let { size } = fstatSync(descriptor);
  const rotate = () => {
    closeSync(descriptor);
    if (existsSync(previous)) renameSync(previous, oldest);
    renameSync(path, previous);
    descriptor = openSync(path, "a", fileMode);
    size = 0;
  };
  return {
    append: (lines) => {
      let chunk = "";
      for (const line of lines) {
        if (size >= bytesMax) {
          appendFileSync(descriptor, chunk);
          chunk = "";
          rotate();
        }
        chunk += line;
        size += Buffer.byteLength(line);
      }
      appendFileSync(descriptor, chunk);
    },
    close: () => closeSync(descriptor),
  };
}
