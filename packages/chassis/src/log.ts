import { type LoggerOptions, pino } from "pino";
import { callContext } from "./call-context.ts";

/** Structured lines, one event each. Fields are ids and codes, never bodies, names or secrets. */
export type Log = Readonly<
  Record<"fatal" | "error" | "warn" | "info" | "debug", (fields: object, event: string) => void>
>;

/** Where lines go: JSON, one at a time, each with its line end. */
export type LogDestination = { write(line: string): void };

/** The levels of a log, most severe first. */
export const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const;
/** The least severe level that is written. */
export type LogLevel = (typeof logLevels)[number];

/**
 * A service's log: JSON lines, each with the request's id and, where tracing is on, its trace and
 * span. Written at once, by default to standard output: nothing is lost however the process ends.
 * On a full disk lines are lost and the service goes on.
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
      // It buffers what it could not write, and `fatal` would wait for that: a new one takes the
      // next line. After EPIPE there is no reader left to write to.
      if (code !== "EPIPE") output = open();
    });
    return opened;
  };
  let output = open();
  return { write: (line) => void output.write(line) };
}

/** How deep causes are followed; some errors are their own cause. */
const causesMax = 5;

/** An error's own fields and causes, without the documents that drivers attach to it. */
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

/** Logs nothing: for tests. */
export const silentLog: Log = {
  fatal: ignore,
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
};
