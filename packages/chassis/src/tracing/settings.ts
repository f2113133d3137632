import { z } from "zod";

/**
 * Samplers of root spans. All other spans follow their root, whether or not the name begins with
 * `parentbased_`.
 */
const samplerNames = [
  ...(["always_on", "always_off", "traceidratio"] as const),
  ...(["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const),
] as const;

const collectorSetting = z.url({ protocol: /^https?$/ }).optional();
const protocolSetting = z.literal("http/protobuf").optional();

/**
 * Pairs in the form `name=value,…`. Commas and similar characters are percent-encoded (W3C
 * Baggage).
 */
const pairsSetting = z
  .string()
  .default("")
  .transform((text, { addIssue }): Readonly<Record<string, string>> => {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    try {
      return Object.fromEntries(pairs.map(readPair));
    } catch {
      addIssue("must be name=value, joined by commas");
      return z.NEVER;
    }
  });

/** Throws if the pair is malformed. */
function readPair(pair: string): [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  if (name === undefined || value === undefined)
    throw new SyntaxError("an item is not a name=value pair");
  return [decodeURIComponent(name), decodeURIComponent(value)];
}

/**
 * OpenTelemetry's standard variables, and one of our own. Tracing is on if a collector is set, or
 * if spans are kept in memory. The exporter itself reads further variables such as
 * `OTEL_EXPORTER_OTLP_TIMEOUT`, `_COMPRESSION` and `_CERTIFICATE`.
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorSetting,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorSetting,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocolSetting,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocolSetting,
  /**
   * Headers that are sent with every batch. They may be secret, such as the API key of a commercial
   * collector.
   */
  OTEL_EXPORTER_OTLP_HEADERS: pairsSetting,
  /** The interval between two batches in milliseconds. */
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(1).default(5_000),
  OTEL_SDK_DISABLED: z.enum(["true", "false"]).default("false"),
  /** Attributes that are added to every span: `deployment.environment.name=stage`. */
  OTEL_RESOURCE_ATTRIBUTES: pairsSetting,
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  OTEL_TRACES_SAMPLER: z.enum(samplerNames).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /**
   * The number of spans that each process keeps in memory for the console. Each needs about 700
   * bytes. With 0, none are kept.
   */
  TRACE_MEMORY_SPANS: z.coerce.number().int().min(0).max(1_000_000).default(0),
} as const;

export type TracingSettings = z.output<z.ZodObject<typeof tracingSettings>>;

/** Returns the collector's URL. Returns `undefined` if spans are not sent. */
export function collectorUrl(settings: TracingSettings): string | undefined {
  if (settings.OTEL_SDK_DISABLED === "true") return undefined;
  if (settings.OTEL_TRACES_EXPORTER === "none") return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = settings;
  const traces = base && `${base.replace(/\/$/, "")}/v1/traces`;
  return settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? traces;
}

/** The number of spans kept in memory. */
export function memorySpans(settings: TracingSettings): number {
  return settings.OTEL_SDK_DISABLED === "true" ? 0 : settings.TRACE_MEMORY_SPANS;
}

/** The share of requests whose traces are recorded. */
export function sampledShare(settings: TracingSettings): number {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  if (sampler.endsWith("always_on")) return 1;
  return sampler.endsWith("always_off") ? 0 : ratio;
}
