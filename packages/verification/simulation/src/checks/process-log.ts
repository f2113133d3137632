import { Code, ConnectError } from "@connectrpc/connect";
import { type Log, silentLog } from "@disburse/chassis/log.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { WriteObserver } from "./write-observer.ts";

export class SimulatedFault extends Error {
  override name = "SimulatedFault";
}

/**
 * Creates a process's log. Logged errors are part of the trace. An error that no fault has caused
 * is a bug.
 */
export function processLog(
  instance: ProcessInstance,
  observer: Pick<WriteObserver, "broken">,
): Log {
  const error = (fields: object, message?: string) => {
    const cause = "err" in fields ? fields.err : undefined;
    instance.scheduler.note(`${instance.name} error: ${message}: ${String(cause)}`);
    if (!isOfFault(cause))
      observer.broken.push(`${instance.name} logged ${message}: ${stackOf(cause)}`);
  };
  return { ...silentLog, error: error as Log["error"] };
}

/** A rail logs notices to operators as errors without a cause. These are not bugs. */
export function errorsOf(log: Log): Log {
  const error = (fields: object, message?: string) => {
    if ("err" in fields) log.error(fields, message ?? "");
  };
  return { ...log, error: error as Log["error"] };
}

function isOfFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOfFault);
  if (error instanceof ConnectError) {
    return error.code === Code.Unavailable || error.code === Code.DeadlineExceeded;
  }
  const isStall = error instanceof Error && stallNoticed.test(error.message);
  return isStall || isDatabaseUnavailable(error) || error instanceof SimulatedFault;
}

/** A process logs this if it was suspended for too long and repeats its work. */
const stallNoticed = /^the run took too long/;

function stackOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(stackOf).join("; ");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
