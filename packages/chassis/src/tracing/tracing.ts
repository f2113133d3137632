import type { Attributes, SpanContext } from "@opentelemetry/api";
import { forRequest, type Origin, withCallContext } from "../call-context.ts";
import { parseTraceparent } from "../traceparent.ts";

/** The service's role in an exchange, or `internal` for work within a service. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/**
 * The data with which a span starts. Attributes are our own ids and codes, never a body or a name.
 */
export type SpanStart = {
  readonly kind: SpanKind;
  /** The span's name, from a bounded set such as methods or routes. Never contains an id. */
  readonly name: string;
  readonly attributes?: Attributes;
};

export type SpanEnd = {
  readonly name?: string;
  readonly attributes?: Attributes;
  /** Set if the span failed. Its value is the `error.type`, which is a code and never a message. */
  readonly error?: string | undefined;
};

/** A started span. In a trace that is not recorded, it contains only its id. */
export type Span = { readonly context: SpanContext; readonly end: (end?: SpanEnd) => void };

/** Creates the spans of one service. Absent if tracing is off. */
export type Tracing = {
  /**
   * Starts the span of an external request. A well-formed `traceparent` determines the trace and
   * the parent. Whether the trace is recorded does not depend on the caller's flag or id.
   */
  readonly startRequest: (start: SpanStart, sent: string | undefined) => Span;
  /**
   * Starts a span. With a parent from this deployment, the span is recorded only if the parent is.
   * Without a parent, the span starts a new trace.
   */
  readonly startSpan: (start: SpanStart, parent: SpanContext | undefined) => Span;
  /**
   * Starts the span of work that another span stored at the time `since`. Within a minute it is a
   * child of that span. Later it starts a new trace with a link to that span.
   */
  readonly startLater: (start: SpanStart, stored: SpanContext, since: Date) => Span;
};

/** The tracing of one service. `stop` ends it. */
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

/** Returns the `error.type` of a thrown value. */
export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
