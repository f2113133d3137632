import { timerMs } from "./timer.ts";

/** Thrown by `withTimeout` for work that took too long. */
export class TimeoutError extends Error {
  override name = "TimeoutError";
}

/**
 * Runs `work` for at most `ms` milliseconds. After that it aborts the signal, and returns the
 * result of `late` or throws a `TimeoutError`. Later results and errors of `work` are ignored.
 * `work` itself must report them if they matter.
 *
 * @throws {TimeoutError} if there is no `late`, and every error that `work` throws in time.
 */
export async function withTimeout<T, Late = never>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late?: () => Late,
): Promise<T | Late> {
  const abort = new AbortController();
  const timedOut = Promise.withResolvers<Late>();
  const timer = setTimeout(() => {
    const error = new TimeoutError(`no response within ${ms} ms`);
    if (late === undefined) timedOut.reject(error);
    else timedOut.resolve(late());
    abort.abort(error);
  }, timerMs(ms));
  try {
    return await Promise.race([work(abort.signal), timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}
