import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { createTracer, createTracing } from "./recorded.ts";

export function testTracing(share = 1, random = () => 0.5) {
  const exporter = new InMemorySpanExporter();
  const tracer = createTracer([new SimpleSpanProcessor({ exporter })], "test");
  return {
    tracing: createTracing(tracer, share, random),
    spans: () => exporter.getFinishedSpans(),
    clear: () => exporter.reset(),
  };
}
