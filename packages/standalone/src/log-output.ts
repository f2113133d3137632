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

export type LogFormat = "pretty" | "json";

type LogOutputOptions = {
  readonly out: LogDestination;
  readonly dataDir: string;
  readonly format: LogFormat;
  readonly colors: boolean;
  /** The log level of standard output. By default only requests and failures are printed. */
  readonly level: LogLevel | undefined;
};

/** The log level of the file. It is sufficient to trace a request. */
const fileLevel = "info";

/**
 * The maximum size of a log file. It has room for many days of manual calls, and limits the disk
 * space that a load test uses.
 */
const fileBytesMax = 16 * 1024 * 1024;
/** The time for which lines are buffered. A busy platform writes hundreds of lines at a time. */
const bufferMs = 20;
const folderMode = 0o700;
const fileMode = 0o600;

/** Returns the paths of a data folder's log files, oldest first. */
export function logFiles(dataDir: string): readonly [string, string, string] {
  const path = join(dataDir, "log", "disburse.log");
  return [`${path}.2`, `${path}.1`, path];
}

/** `close` writes buffered lines. Later lines are dropped. */
export type LogFile = LogDestination & { close(): void };

/**
 * Opens a data folder's log. It consists of a current file and its two predecessors. A file exceeds
 * `bytesMax` by less than one line. Buffered lines are written when the process exits, and lost
 * when it is killed. `onError` is called once, when the file can no longer be written.
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
  /** Runs a step that writes. If a step has failed, no later step runs. */
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

/** Without a level, failures and each answered request are printed. */
function isPrintedByDefault(line: LogLine): boolean {
  const isRequest = line.service === "gateway" && line.msg === "request";
  return isRequest || (line.level !== "info" && line.level !== "debug");
}

/** Logs services that share a process to standard output, and as JSON to the data folder. */
export function openLogOutput({ out, dataDir, format, colors, level }: LogOutputOptions) {
  const readable = readableLines({ colors, dated: false });
  const pretty: LogDestination = {
    write: (text) => {
      const line = JSON.parse(text) as LogLine;
      if (level !== undefined || isPrintedByDefault(line)) out.write(readable(line));
    },
  };
  const file = openLogFile(dataDir, ({ code }) => {
    process.stderr.write(`The log file in ${dataDir} cannot be written: ${code}\n`);
  });
  const defaultLevel = format === "pretty" ? "info" : "warn";
  const streamLevel = level === "debug" ? level : fileLevel;
  return {
    /** The level at which services must log, so that both outputs get their lines. */
    level: streamLevel,
    destination: pino.multistream([
      { level: level ?? defaultLevel, stream: format === "pretty" ? pretty : out },
      { level: streamLevel, stream: file },
    ]),
    close: file.close,
  };
}
