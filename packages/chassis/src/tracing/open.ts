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
  const name = settings.OTEL_SERVICE_NAME ?? service;
  const everyMs = settings.OTEL_BSP_SCHEDULE_DELAY;
  return exportSpans({ url, name, everyMs, share: sampledShare(settings), log });
}
