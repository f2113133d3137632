import type { LogDestination, LogLevel } from "@disburse/chassis/log.ts";
import { pino } from "pino";
import { openLogFile } from "./log-file.ts";
import { type LogLine, readableLines } from "./readable-line.ts";

/** How lines look on standard output. */
export type LogFormat = "pretty" | "json";

/** Where log lines go, and how they look. */
export type LogOutputOptions = {
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
