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
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { withTimeout } from "../timeout.ts";
import { isSampled, parseTraceparent } from "./traceparent.ts";
import type { OpenTracing, Span, SpanKind, SpanStart, Tracing } from "./tracing.ts";

/** Work that begins later is a trace of its own: backends take a trace as ended by then. */
const childWithinMs = 60_000;
/** Of the time that a process has to stop; where the collector does not answer, spans are lost. */
const flushWithinDefaultMs = 3_000;

type ExportOptions = {
  /** Where batches are posted. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `service.name`. */
  readonly name: string;
  /** Further attributes of the service. */
  readonly resource?: Attributes;
  /** The time between two batches. */
  readonly everyMs: number;
  /** The share of requests whose traces are recorded. */
  readonly share: number;
  readonly log: Log;
  /** How long a stop waits for the last batch. */
  readonly flushWithinMs?: number;
};

/** Sends the spans of one service to a collector over OTLP, in batches, until it is stopped. */
export function exportSpans(options: ExportOptions): OpenTracing {
  const { url, headers = {}, name, resource = {}, everyMs, share, log } = options;
  const { flushWithinMs = flushWithinDefaultMs } = options;
  const exporter = reportFailures(new OTLPTraceExporter({ url, headers: { ...headers } }), log);
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: everyMs });
  const tracing = createTracing(createTracer(processor, name, resource), share);
  const lost = () => log.warn({}, "the last spans were not exported");
  return {
    tracing,
    stop: () => withTimeout(flushWithinMs, () => processor.shutdown(), lost).catch(lost),
  };
}

/** A tracer of one service that records every span that it is asked for. */
export function createTracer(
  processor: SpanProcessor,
  name: string,
  attributes: Attributes = {},
): Tracer {
  const resource = resourceOf(name, attributes);
  const sampler = new AlwaysOnSampler();
  return new TracerProvider({ resource, sampler, spanProcessors: [processor] }).getTracer(name);
}

function resourceOf(name: string, given: Attributes) {
  const attributes = {
    "service.namespace": "disburse",
    "service.instance.id": crypto.randomUUID(),
    ...given,
    "service.name": name,
  };
  return defaultResource().merge(resourceFromAttributes(attributes));
}

/** Logs when a collector stops taking spans, and when it takes them again. */
function reportFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        const fails = error !== undefined;
        if (fails && !isFailing) log.warn({ reason: error.name }, "spans not exported");
        else if (!fails && isFailing) log.info({}, "spans are exported again");
        isFailing = fails;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

/**
 * Spans by a tracer that records every one that it is asked for. A trace that is not sampled costs
 * an id: its services hand one place in it on, and no span is made.
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
