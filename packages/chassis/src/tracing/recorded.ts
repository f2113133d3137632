import {
  type Attributes,
  type Link,
  SpanKind as OtelKind,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  RandomIdGenerator,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { releaseVersion } from "../release.ts";
import { isSampled, parseTraceparent } from "../traceparent.ts";
import type { Span, SpanKind, SpanStart, Tracing } from "./tracing.ts";

/**
 * The time within which stored work continues the trace that caused it. Later work gets its own
 * trace, because tracing backends consider the first one as complete by then.
 */
const childWithinMs = 60_000;

/** Creates a tracer of one service that records every span. */
export function createTracer(
  spanProcessors: SpanProcessor[],
  name: string,
  attributes: Attributes = {},
): Tracer {
  const resource = resourceOf(name, attributes);
  const sampler = new AlwaysOnSampler();
  return new TracerProvider({ resource, sampler, spanProcessors }).getTracer(name);
}

function resourceOf(name: string, given: Attributes) {
  const attributes = {
    "service.namespace": "disburse",
    "service.instance.id": crypto.randomUUID(),
    "service.version": releaseVersion,
    ...given,
    "service.name": name,
  };
  return defaultResource().merge(resourceFromAttributes(attributes));
}

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

/**
 * Creates spans with a tracer that records all of them. A trace that is not sampled costs only an
 * id. Services pass on this id without creating spans.
 */
export function createTracing(tracer: Tracer, share: number, random = Math.random): Tracing {
  const ids = new RandomIdGenerator();
  const newPlace = (): SpanContext => ({
    traceId: ids.generateTraceId(),
    spanId: ids.generateSpanId(),
    traceFlags: TraceFlags.NONE,
  });
  const record = (start: SpanStart, parent?: SpanContext, links: Link[] = []): Span => {
    const { name, kind, attributes = {} } = start;
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return recorded(tracer, name, { kind: kinds[kind], attributes, links }, context);
  };
  const startRoot = (start: SpanStart, parent?: SpanContext): Span => {
    if (random() < share) return record(start, parent);
    return unrecorded({ ...(parent ?? newPlace()), traceFlags: TraceFlags.NONE });
  };
  return {
    startRequest: (start, sent) => startRoot(start, parseTraceparent(sent)),
    startSpan: (start, parent) => {
      if (parent === undefined) return startRoot(start);
      return isSampled(parent) ? record(start, parent) : unrecorded(parent);
    },
    startLater: (start, stored, since) => {
      if (!isSampled(stored)) return unrecorded(stored);
      const isSoon = Date.now() - since.getTime() < childWithinMs;
      return isSoon ? record(start, stored) : record(start, undefined, [{ context: stored }]);
    },
  };
}

const ignore = (): void => undefined;

function unrecorded(context: SpanContext): Span {
  return { context, end: ignore };
}

function recorded(tracer: Tracer, ...start: Parameters<Tracer["startSpan"]>): Span {
  const span = tracer.startSpan(...start);
  return {
    context: span.spanContext(),
    end: ({ name, attributes, error } = {}) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) {
        span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
