import { type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";

export type KeptSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** "" for a trace's first span. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  /**
   * The start time in microseconds since the epoch, by the host's clock. The precision is a
   * millisecond.
   */
  readonly startedUs: number;
  /**
   * The number of earlier spans in the same process. It gives the order of spans that begin in the
   * same millisecond.
   */
  readonly place: number;
  readonly durationUs: number;
  /** The `error.type` of a failed span. "" if the span did not fail. */
  readonly error: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Selects the spans of one trace, or of all traces that began with one request. */
export type SpanQuery = { readonly traceId: string } | { readonly requestId: string };

/** Keeps the most recently ended spans of a process, up to a maximum number. */
export type SpanMemory = SpanProcessor & {
  readonly keptMax: number;
  /** Returns the first matching spans, in the order in which they began. */
  readonly find: (query: SpanQuery) => readonly KeptSpan[];
};

/**
 * The maximum number of spans to return. It exceeds the number of spans that a request has in one
 * service, including later work.
 */
const foundMax = 1_000;
const requestIdAttribute = "disburse.request_id";

/** Keeps the most recently ended spans. Each new span replaces the oldest one. */
export function createSpanMemory(keptMax: number): SpanMemory {
  const kept: KeptSpan[] = [];
  const places = new WeakMap<object, number>();
  let begun = 0;
  let next = 0;
  const tracesOf = (query: SpanQuery): ReadonlySet<string> => {
    if ("traceId" in query) return new Set([query.traceId]);
    const began = kept.filter(
      ({ attributes }) => attributes[requestIdAttribute] === query.requestId,
    );
    return new Set(began.map(({ traceId }) => traceId));
  };
  return {
    keptMax,
    find: (query) => {
      const traces = tracesOf(query);
      const found = kept.filter(({ traceId }) => traces.has(traceId));
      return found.sort((a, b) => a.place - b.place).slice(0, foundMax);
    },
    onStart: (span) => {
      places.set(span, begun);
      begun += 1;
    },
    onEnd: (span) => {
      kept[next] = keptSpan(span, places.get(span) ?? 0);
      next = (next + 1) % keptMax;
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

const microseconds = ([seconds, nanoseconds]: HrTime): number =>
  seconds * 1_000_000 + Math.floor(nanoseconds / 1_000);

function keptSpan(span: ReadableSpan, place: number): KeptSpan {
  const { traceId, spanId } = span.spanContext();
  const attributes = Object.entries(span.attributes).map(([name, value]) => [name, String(value)]);
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? "",
    name: span.name,
    kind: SpanKind[span.kind].toLowerCase(),
    startedUs: microseconds(span.startTime),
    place,
    durationUs: microseconds(span.duration),
    error: span.status.code === SpanStatusCode.ERROR ? String(span.attributes["error.type"]) : "",
    attributes: Object.fromEntries(attributes),
  };
}
