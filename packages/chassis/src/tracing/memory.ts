import { type HrTime, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";

export type KeptSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a trace's first span. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  /** Microseconds since the epoch, to the millisecond, of the process's host. */
  readonly startedUs: number;
  /** The number of earlier spans in its process, for the order: many begin in one millisecond. */
  readonly place: number;
  readonly durationUs: number;
  /** `error.type`; empty if it did not fail. */
  readonly error: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Selects the spans of a trace, or of every trace that a request began. */
export type SpanQuery = { readonly traceId: string } | { readonly requestId: string };

/** The last spans of a process that have ended, up to a number. */
export type SpanMemory = SpanProcessor & {
  readonly keptMax: number;
  /** The first matching spans, in the order in which they began. */
  readonly find: (query: SpanQuery) => readonly KeptSpan[];
};

/** More spans than a request has in a service, including its later work. */
const foundMax = 1_000;
const requestIdAttribute = "disburse.request_id";

/** Keeps the last spans that have ended: each new one replaces the oldest. */
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
