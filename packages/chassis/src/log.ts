import { type LoggerOptions, pino } from "pino";
import { callContext } from "./call-context.ts";

/**
 * Writes structured log lines, one for each event. Fields are ids and codes, never bodies, names or
 * secrets.
 */
export type Log = Readonly<
  Record<"fatal" | "error" | "warn" | "info" | "debug", (fields: object, event: string) => void>
>;

/** Receives one JSON line at a time, with its line break. */
export type LogDestination = { write(line: string): void };

/** The levels of a log, most severe first. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const;
/** The least severe level that the log writes. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Creates a service's log. Each JSON line has the request's id and, if tracing is on, the trace and
 * span. Lines are written immediately, by default to standard output, so that a crash loses none.
 * If the disk is full, lines are lost but the service continues.
 */
export function createLog(
  service: string,
  level: string,
  to: LogDestination = standardOutput(),
): Log {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = callContext();
      if (context === undefined) return {};
      const { requestId: request_id, span } = context;
      return span === undefined
        ? { request_id }
        : { request_id, trace_id: span.traceId, span_id: span.spanId };
    },
    serializers: { err: plainError },
  };
  return pino(options, to);
}

function standardOutput(): LogDestination {
  const open = () => {
    const opened = pino.destination({ fd: 1, sync: true });
    opened.on("error", ({ code }: NodeJS.ErrnoException) => {
      // After an error, the destination keeps the unwritten line in its buffer, and `fatal` would
      // wait for that line. Therefore a new destination takes the next line. After EPIPE there is
      // no reader any more.
      if (code !== "EPIPE") output = open();
    });
    return opened;
  };
  let output = open();
  return { write: (line) => void output.write(line) };
}

/** The maximum depth of error causes to follow, because some errors are their own cause. */
const causesMax = 5;

/** Copies an error's own fields and causes, without the documents that drivers attach to it. */
export function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const code = "code" in error ? { code: error.code } : {};
  const isDeep = cause === undefined || depth >= causesMax;
  const errors = error instanceof AggregateError ? error.errors : [];
  return {
    type: name,
    ...code,
    message,
    stack,
    ...(isDeep ? {} : { cause: plainError(cause, depth + 1) }),
    ...(errors.length === 0 ? {} : { errors: errors.map((each) => plainError(each, causesMax)) }),
  };
}

const ignore = (): void => undefined;

export const silentLog: Log = {
  fatal: ignore,
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
};
