import type { LogDestination, LogLevel } from "@disburse/chassis/log.ts";
import { pino } from "pino";
import { openLogFile } from "./log-file.ts";
import { type LogLine, readableLines } from "./readable-line.ts";

export type LogFormat = "pretty" | "json";

export type LogOutputOptions = {
  /** Standard output. */
  readonly out: LogDestination;
  readonly dataDir: string;
  readonly format: LogFormat;
  readonly colors: boolean;
  /** What the terminal shows; absent for what a newcomer wants to see there. */
  readonly level: LogLevel | undefined;
};

export type LogOutput = {
  /** The level that services must log at for both outputs to have what they want. */
  readonly level: "info" | "debug";
  readonly destination: LogDestination;
  /** Writes what the file still has to get. */
  close(): void;
};

/** Of the file: enough to follow a request afterwards. */
const fileLevel = "info";

/** Shown where no level was asked for: what went wrong, and each answered request. */
function isForNewcomers(line: LogLine): boolean {
  const isRequest = line.service === "gateway" && line.msg === "request";
  return isRequest || (line.level !== "info" && line.level !== "debug");
}

/**
 * Where the services' lines go when they share a process: to standard output, readable or as JSON,
 * and as JSON to the data folder.
 */
export function openLogOutput(options: LogOutputOptions): LogOutput {
  const { out, dataDir, format, colors, level } = options;
  const readable = readableLines({ colors, dated: false });
  const pretty: LogDestination = {
    write: (text) => {
      const line = JSON.parse(text) as LogLine;
      if (level !== undefined || isForNewcomers(line)) out.write(readable(line));
    },
  };
  const file = openLogFile(dataDir, ({ code }) => {
    process.stderr.write(`The log in ${dataDir} cannot be written: ${code}\n`);
  });
  const newcomers = format === "pretty" ? "info" : "warn";
  const streamLevel = level === "debug" ? level : fileLevel;
  return {
    level: streamLevel,
    destination: pino.multistream([
      { level: level ?? newcomers, stream: format === "pretty" ? pretty : out },
      { level: streamLevel, stream: file },
    ]),
    close: file.close,
  };
}
