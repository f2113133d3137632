import type { Attributes } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { withTimeout } from "../timeout.ts";
import type { SpanMemory } from "./memory.ts";
import { createTracer, createTracing } from "./recorded.ts";
import type { OpenTracing } from "./tracing.ts";

/**
 * The time for sending the last spans, which is a part of the time that a process has to stop. If
 * the collector does not reply in this time, the spans are lost.
 */
const flushWithinDefaultMs = 3_000;

type ExportOptions = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The service's name, exported as `service.name`. */
  readonly name: string;
  /** Further attributes of the service. */
  readonly resource?: Attributes;
  readonly everyMs: number;
  /** The share of requests whose traces are recorded. */
  readonly share: number;
  readonly log: Log;
  /** The maximum time that a stop waits for the last batch. */
  readonly flushWithinMs?: number;
  /** Also receives the spans, if the process keeps spans in memory. */
  readonly memory?: SpanMemory | undefined;
};

/**
 * Sends the spans of one service to a collector over OTLP. Sends them in batches until it is
 * stopped.
 */
export function exportSpans(options: ExportOptions): OpenTracing {
  const { url, headers = {}, name, resource = {}, everyMs, share, log } = options;
  const { flushWithinMs = flushWithinDefaultMs, memory } = options;
  const exporter = reportFailures(new OTLPTraceExporter({ url, headers: { ...headers } }), log);
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: everyMs });
  const processors = [processor, ...(memory === undefined ? [] : [memory])];
  const tracing = createTracing(createTracer(processors, name, resource), share);
  const lost = () =>
    log.warn({}, "the last trace spans were not exported before the process stopped");
  return {
    tracing,
    stop: () => withTimeout(flushWithinMs, () => processor.shutdown(), lost).catch(lost),
  };
}

/** Logs when a collector starts to fail, and when it recovers. */
function reportFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const { error } = result;
        const fails = error !== undefined;
        if (fails && !isFailing) log.warn({ reason: error.name }, "exporting trace spans failed");
        else if (!fails && isFailing) log.info({}, "trace spans are exported again");
        isFailing = fails;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
