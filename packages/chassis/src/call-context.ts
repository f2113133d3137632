import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";
import type { Principal } from "./principal.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/** The context of a request, which is passed to every service that the request reaches. */
export type CallContext = {
  /** Identifies one merchant request in all log lines and responses. */
  readonly requestId: string;
  /** The caller's deadline, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** The current span. Absent if tracing is off. */
  readonly span?: SpanContext | undefined;
  /** The caller. Absent in background work and before the gateway has identified the caller. */
  readonly principal?: Principal | undefined;
  /** The approver, if the request needed a second person. */
  readonly approvedBy?: string | undefined;
  /**
   * The field `before` that the guard of this request compared: that of the approved proposal, or
   * the one by which the request needs no approval. Absent for unguarded requests.
   */
  readonly checkedBefore?: string | undefined;
};

/** The request that caused background work. Stored in the same write as the work. */
export type Origin = {
  /** The merchant's request, for the log. */
  readonly request_id?: string;
  /** The span that stored the work. Absent if tracing is off. */
  readonly traceparent?: string;
};

/** Reads the origin from a stored document. */
export function originOf({ request_id, traceparent }: Origin): Origin {
  return {
    ...(request_id === undefined ? {} : { request_id }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs work within a context. Calls to other services pass on this context. */
export function withCallContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs background work in the context of the request that caused it, without a deadline. */
export function forRequest<T>(origin: Origin | undefined, work: () => T): T {
  const { request_id: requestId, traceparent } = origin ?? {};
  if (requestId === undefined) return work();
  const span = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return storage.run({ requestId, ...(span && { span }) }, work);
}

/**
 * Returns the context of the current request. Returns `undefined` in background work that no
 * request caused.
 */
export function callContext(): CallContext | undefined {
  return storage.getStore();
}

/** Returns the current request, to be stored with work that runs later. */
export function currentOrigin(): Origin {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId: request_id, span } = context;
  return span === undefined ? { request_id } : { request_id, traceparent: formatTraceparent(span) };
}
