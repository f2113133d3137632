import type { Attributes, SpanContext } from "@opentelemetry/api";
import { forRequest, type Origin, withCallContext } from "../call-context.ts";
import { parseTraceparent } from "../traceparent.ts";

/** The side of an exchange, or internal work of a service. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** The first data of a span. Attributes are our own ids and codes, never a body or a name. */
export type SpanStart = {
  readonly kind: SpanKind;
  /** From a bounded set: a method, a route; never an id. */
  readonly name: string;
  readonly attributes?: Attributes;
};

export type SpanEnd = {
  readonly name?: string;
  readonly attributes?: Attributes;
  /** The span failed, with this `error.type`: a code, never a message. */
  readonly error?: string | undefined;
};

/** A span that was started, or its id in a trace that is not recorded. */
export type Span = { readonly context: SpanContext; readonly end: (end?: SpanEnd) => void };

/** Creates the spans of one service. Absent if tracing is off. */
export type Tracing = {
  /**
   * Starts the span of an external request. A well-formed `traceparent` gives trace and parent; the
   * decision to record it ignores the caller's flag and id.
   */
  readonly startRequest: (start: SpanStart, sent: string | undefined) => Span;
  /**
   * Starts a span beneath one of this deployment, recorded if that is; without one, a new trace.
   */
  readonly startSpan: (start: SpanStart, parent: SpanContext | undefined) => Span;
  /**
   * Starts the span of work that another span stored at `since`: beneath it within a minute,
   * otherwise as a new trace with a link to it.
   */
  readonly startLater: (start: SpanStart, stored: SpanContext, since: Date) => Span;
};

/** Tracing of one service, until it is stopped. */
export type OpenTracing = { readonly tracing: Tracing; readonly stop: () => Promise<void> };

export type LaterWork = Omit<SpanStart, "kind"> & {
  /** The time when the work was stored. */
  readonly since: Date;
};

/** Runs stored work under the request that caused it, in a new span. */
export function resume<T>(
  tracing: Tracing | undefined,
  origin: Origin | undefined,
  { since, ...start }: LaterWork,
  work: () => Promise<T>,
): Promise<T> {
  const requestId = origin?.request_id;
  const stored = tracing && parseTraceparent(origin?.traceparent);
  if (tracing === undefined || stored === undefined || requestId === undefined) {
    return forRequest(origin, work);
  }
  const span = tracing.startLater({ ...start, kind: "internal" }, stored, since);
  return withCallContext({ requestId, span: span.context }, () => ended(span, work));
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end({ error: errorType(error) });
    throw error;
  }
}

/** The `error.type` of a thrown value. */
export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
