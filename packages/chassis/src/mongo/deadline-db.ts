import { Collection, type Db, MongoOperationTimeoutError } from "mongodb";
import { callContext } from "../call-context.ts";
import { TimeoutError, withTimeout } from "../timeout.ts";

/**
 * Wraps a database so that each command of a request ends at the request's deadline. It then throws
 * a `MongoOperationTimeoutError`. The driver may still complete the command, so the outcome of a
 * write is unknown. Commands of background work have no deadline. The driver's own `timeoutMS`
 * can't replace this, because group commit sends writes of several requests in one command.
 */
export function deadlineDb(db: Db): Db {
  return limited(db);
}

/** Wraps collections, cursors and iterators. Their methods that return promises are limited. */
function limited<T extends object>(target: T): T {
  const proxy: T = new Proxy(target, {
    get: (_target, name) => {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      return (...given: unknown[]) => {
        const result: unknown = Reflect.apply(found, target, given);
        // A cursor's `sort` returns the cursor itself.
        if (result === target) return proxy;
        if (result instanceof Promise) return beforeDeadline(result);
        return hasCommands(result) ? limited(result) : result;
      };
    },
  });
  return proxy;
}

function hasCommands(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Collection || Symbol.asyncIterator in value;
}

function beforeDeadline<T>(command: Promise<T>): Promise<T> {
  const deadlineMs = callContext()?.deadlineMs;
  if (deadlineMs === undefined) return command;
  return withTimeout(deadlineMs - Date.now(), () => command).catch((error: unknown) => {
    if (!(error instanceof TimeoutError)) throw error;
    throw new MongoOperationTimeoutError("the request's deadline has passed", { cause: error });
  });
}
