import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";
import type { Principal } from "./principal.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/** What a request carries through every service that it touches. */
export type CallContext = {
  /** In every log line and answer of one request of a merchant. */
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** The running span; absent where tracing is off. */
  readonly span?: SpanContext | undefined;
  /** Who called this service; absent in work of its own, and at the edge. */
  readonly principal?: Principal | undefined;
  /** The second person, where the caller's request has needed one. */
  readonly approvedBy?: string | undefined;
  /** `before` of the proposal that the second person has approved. */
  readonly approvedBefore?: string | undefined;
};

/** The request that work goes back to, as it is stored beside the work, in the same write. */
export type Origin = {
  /** The merchant's request, for the log. */
  readonly request_id?: string;
  /** The span that stored the work; absent where tracing is off. */
  readonly traceparent?: string;
};

/** The origin that a stored document has among its fields. */
export function originOf({ request_id, traceparent }: Origin): Origin {
  return {
    ...(request_id === undefined ? {} : { request_id }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

const storage = new AsyncLocalStorage<CallContext>();

/** Runs work within a context, which its calls to other services carry on. */
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

/** The running request, to be stored beside work that it leaves for later. */
export function currentOrigin(): Origin {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId: request_id, span } = context;
  return span === undefined ? { request_id } : { request_id, traceparent: formatTraceparent(span) };
}
