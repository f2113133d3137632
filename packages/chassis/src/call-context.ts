import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";
import type { Principal } from "./principal.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/** The context that a request passes to every service it touches. */
export type CallContext = {
  /** Identifies one merchant request in all log lines and answers. */
  readonly requestId: string;
  /** The caller's deadline, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** The running span; absent if tracing is off. */
  readonly span?: SpanContext | undefined;
  /** The caller; absent in background work and at the edge. */
  readonly principal?: Principal | undefined;
  /** The second person, if the request needed one. */
  readonly approvedBy?: string | undefined;
  /** `before` of the proposal that the second person has approved. */
  readonly approvedBefore?: string | undefined;
};

/** The request that caused background work, stored with the work in the same write. */
export type Origin = {
  /** The merchant's request, for the log. */
  readonly request_id?: string;
  /** The span that stored the work; absent if tracing is off. */
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

/** Runs work within a context, which is passed on to other services. */
export function withCallContext<T>(context: CallContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs background work under the request that caused it, without a deadline. */
export function forRequest<T>(origin: Origin | undefined, work: () => T): T {
  const { request_id: requestId, traceparent } = origin ?? {};
  if (requestId === undefined) return work();
  const span = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  return storage.run({ requestId, ...(span && { span }) }, work);
}

/** The context of the running request; `undefined` in background work that no request caused. */
export function callContext(): CallContext | undefined {
  return storage.getStore();
}

/** The running request, to be stored with work that it leaves for later. */
export function currentOrigin(): Origin {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId: request_id, span } = context;
  return span === undefined ? { request_id } : { request_id, traceparent: formatTraceparent(span) };
}
