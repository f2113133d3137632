import type { Log } from "../log.ts";
import { collectorUrl, sampledShare, type TracingSettings } from "./settings.ts";
import type { OpenTracing } from "./tracing.ts";

/** Opens tracing; `undefined` where it is off: then nothing of OpenTelemetry is loaded. */
export async function openTracing(
  service: string,
  settings: TracingSettings,
  log: Log,
): Promise<OpenTracing | undefined> {
  const url = collectorUrl(settings);
  if (url === undefined) return undefined;
  const { exportSpans } = await import("./exported.ts");
  return exportSpans({
    url,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    name: settings.OTEL_SERVICE_NAME ?? service,
    resource: settings.OTEL_RESOURCE_ATTRIBUTES,
    everyMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    share: sampledShare(settings),
    log,
  });
}
