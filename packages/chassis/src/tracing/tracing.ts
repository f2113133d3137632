import type { Attributes, SpanContext } from "@opentelemetry/api";
import { forRequest, type Origin, withCallContext } from "../call-context.ts";
import { parseTraceparent } from "../traceparent.ts";

/** The side of an exchange that a span is, or work within a service. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** What a span begins with. Attributes are ids and codes of ours, never a body or a name. */
export type SpanStart = {
  readonly kind: SpanKind;
  /** Of a bounded set: a method, a route; never an id. */
  readonly name: string;
  readonly attributes?: Attributes;
};

/** What is known at a span's end. */
export type SpanEnd = {
  /** In place of the name that it began with. */
  readonly name?: string;
  readonly attributes?: Attributes;
  /** The span failed, with this `error.type`: a code, never a message. */
  readonly error?: string | undefined;
};

/** A span that was started, or the place of one in a trace that is not recorded. */
export type Span = { readonly context: SpanContext; readonly end: (end?: SpanEnd) => void };

/** Makes the spans of one service. Absent where tracing is off. */
export type Tracing = {
  /**
   * The span of a request from outside. A well-formed `traceparent` gives trace and parent; whether
   * it is recorded is decided here, whatever its flag and its id.
   */
  readonly startRequest: (start: SpanStart, sent: string | undefined) => Span;
  /** A span beneath one of this deployment, recorded as that is; without one, a new trace. */
  readonly startSpan: (start: SpanStart, parent: SpanContext | undefined) => Span;
  /**
   * The span of work that was stored under another one at a time: beneath it if it begins within a
   * minute, else a trace of its own with a link to it.
   */
  readonly startLater: (start: SpanStart, stored: SpanContext, since: Date) => Span;
};

/** Tracing of one service, until it is stopped. */
export type OpenTracing = { readonly tracing: Tracing; readonly stop: () => Promise<void> };

/** Stored work that begins. */
export type LaterWork = Omit<SpanStart, "kind"> & {
  /** When it was stored. */
  readonly since: Date;
};

/** Runs stored work under the request that it goes back to, in a span of its own. */
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

/** The `error.type` of what was thrown. */
export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
