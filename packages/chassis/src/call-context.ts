import { AsyncLocalStorage } from "node:async_hooks";

/** What travels with a request through every service that it touches. */
export type CallContext = {
  /** The same in every log line and answer of one request of a merchant. */
  readonly requestId: string;
  /** When nobody waits for the answer any more, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
};

const storage = new AsyncLocalStorage<CallContext>();

/** Runs work within a context; calls to other services made inside carry it on. */
export function withCallContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/**
 * Runs background work for the request that caused it: its lines and calls carry that request's id.
 * Nobody waits for it, so there is no deadline. Without a known request it just runs.
 */
export function forRequest<T>(requestId: string | undefined, work: () => T): T {
  return requestId === undefined ? work() : storage.run({ requestId }, work);
}

/** The context of the running request; `undefined` in background work that no request caused. */
export function callContext(): CallContext | undefined {
  return storage.getStore();
}
