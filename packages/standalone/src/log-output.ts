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
import type { LogDestination, LogLevel } from "@disburse/chassis/log.ts";
import { pino } from "pino";
import { type LogLine, readableLines } from "./readable-line.ts";

/** How lines look on standard output. */
export type LogFormat = "pretty" | "json";

/** Where log lines go, and how they look. */
type LogOutputOptions = {
  /** Standard output. */
  readonly out: LogDestination;
  readonly dataDir: string;
  readonly format: LogFormat;
  readonly colors: boolean;
  /** The level of standard output; absent for requests and failures alone. */
  readonly level: LogLevel | undefined;
};

/** The file's level: enough to trace a request. */
const fileLevel = "info";

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

/** A log file; `close` writes what is buffered, and later lines are dropped. */
export type LogFile = LogDestination & { close(): void };

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
  const [oldest, previous, path] = logFiles(dataDir);
  let buffered: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let file: number | undefined;
  let size = 0;

  const open = () => {
    file = openSync(path, "a", fileMode);
    ({ size } = fstatSync(file));
    return file;
  };
  const rotate = (full: number) => {
    closeSync(full);
    if (existsSync(previous)) renameSync(previous, oldest);
    renameSync(path, previous);
    return open();
  };
  /** Runs a step; after one that fails nothing is written any more. */
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      file = undefined;
      onError(error as NodeJS.ErrnoException);
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    let chunk = "";
    attempt(() => {
      if (file === undefined) return;
      for (const line of buffered) {
        if (size >= bytesMax) {
          appendFileSync(file, chunk);
          chunk = "";
          file = rotate(file);
        }
        chunk += line;
        size += Buffer.byteLength(line);
      }
      appendFileSync(file, chunk);
    });
    buffered = [];
  };
  const close = () => {
    process.off("exit", close);
    flush();
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    open();
    process.on("exit", close);
  });
  return {
    write: (line) => {
      if (file === undefined) return;
      buffered.push(line);
      timer ??= setTimeout(flush, bufferMs).unref();
    },
    close,
  };
}

/** Printed without a level: failures, and each answered request. */
function isPrintedByDefault(line: LogLine): boolean {
  const isRequest = line.service === "gateway" && line.msg === "request";
  return isRequest || (line.level !== "info" && line.level !== "debug");
}

/** The log of services that share a process: to standard output, and as JSON to the data folder. */
export function openLogOutput({ out, dataDir, format, colors, level }: LogOutputOptions) {
  const readable = readableLines({ colors, dated: false });
  const pretty: LogDestination = {
    write: (text) => {
      const line = JSON.parse(text) as LogLine;
      if (level !== undefined || isPrintedByDefault(line)) out.write(readable(line));
    },
  };
  const file = openLogFile(dataDir, ({ code }) => {
    process.stderr.write(`The log in ${dataDir} cannot be written: ${code}\n`);
  });
  const defaultLevel = format === "pretty" ? "info" : "warn";
  const streamLevel = level === "debug" ? level : fileLevel;
  return {
    /** The level that services must log at for both outputs. */
    level: streamLevel,
    destination: pino.multistream([
      { level: level ?? defaultLevel, stream: format === "pretty" ? pretty : out },
      { level: streamLevel, stream: file },
    ]),
    /** Writes what is buffered for the file. */
    close: file.close,
  };
}
