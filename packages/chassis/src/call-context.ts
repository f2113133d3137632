import { AsyncLocalStorage } from "node:async_hooks";

/** What a request carries through every service that it touches. */
export type CallContext = {
  /** In every log line and answer of one request of a merchant. */
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
};

const storage = new AsyncLocalStorage<CallContext>();

/** Runs work within a context, which its calls to other services carry on. */
export function withCallContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs background work under the id of the request that caused it, without a deadline. */
export function forRequest<T>(requestId: string | undefined, work: () => T): T {
  return requestId === undefined ? work() : storage.run({ requestId }, work);
}

/** The context of the running request; `undefined` in background work that no request caused. */
export function callContext(): CallContext | undefined {
  return storage.getStore();
}
