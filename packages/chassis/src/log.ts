import { pino } from "pino";
import { callContext } from "./call-context.ts";

/** Structured lines, one event each. Fields are ids and codes, never bodies, names or secrets. */
export type Log = {
  fatal(fields: object, event: string): void;
  error(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  info(fields: object, event: string): void;
  debug(fields: object, event: string): void;
};

/** A service's log: JSON to standard output, each line with the request's id. */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const context = callContext();
      return context === undefined ? {} : { request_id: context.requestId };
    },
    serializers: { err: pino.stdSerializers.errWithCause },
  });
}

/** Says nothing: for tests of parts that log. */
export const silentLog: Log = {
  fatal: () => undefined,
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
