import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { createTracer, createTracing } from "./exported.ts";

/** Tracing whose spans a test reads. */
export function testTracing(share = 1, random = () => 0.5) {
  const exporter = new InMemorySpanExporter();
  const tracer = createTracer("test", new SimpleSpanProcessor({ exporter }));
  return {
    tracing: createTracing(tracer, share, random),
    spans: () => exporter.getFinishedSpans(),
    clear: () => exporter.reset(),
  };
}
