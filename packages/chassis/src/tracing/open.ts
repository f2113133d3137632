import type { Log } from "../log.ts";
import type { SpanMemory } from "./memory.ts";
import { collectorUrl, memorySpans, sampledShare, type TracingSettings } from "./settings.ts";
import type { OpenTracing } from "./tracing.ts";

type Opened = OpenTracing & { readonly memory: SpanMemory | undefined };

/** Opens tracing. Returns `undefined` if tracing is off, and does not load OpenTelemetry then. */
export async function openTracing(
  service: string,
  settings: TracingSettings,
  log: Log,
): Promise<Opened | undefined> {
  const url = collectorUrl(settings);
  const memory = await openMemory(memorySpans(settings));
  const name = settings.OTEL_SERVICE_NAME ?? service;
  const share = sampledShare(settings);
  if (url !== undefined) {
    const { exportSpans } = await import("./exported.ts");
    const exported = exportSpans({
      url,
      name,
      share,
      memory,
      log,
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
      resource: settings.OTEL_RESOURCE_ATTRIBUTES,
      everyMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    });
    return { ...exported, memory };
  }
  if (memory === undefined) return undefined;
  const { createTracer, createTracing } = await import("./recorded.ts");
  const tracing = createTracing(createTracer([memory], name), share);
  return { tracing, memory, stop: async () => undefined };
}

async function openMemory(spans: number): Promise<SpanMemory | undefined> {
  if (spans === 0) return undefined;
  const { createSpanMemory } = await import("./memory.ts");
  return createSpanMemory(spans);
}
