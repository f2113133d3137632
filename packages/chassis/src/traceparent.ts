import type { SpanContext } from "@opentelemetry/api";

/** The header with the caller's span in HTTP, RPC and bus messages (W3C Trace Context, level 1). */
export const traceparentHeader = "traceparent";

/** Matches version, trace id, span id and flags. Later versions may append fields. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = "0".repeat(32);
const noSpan = "0".repeat(16);
/** The flag bit that marks recorded spans. */
const sampledFlag = 1;

/** Parses a `traceparent`. Returns `undefined` if it is absent or malformed. */
export function parseTraceparent(sent: string | null | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags = "", more] = pattern.exec(sent ?? "") ?? [];
  if (traceId === undefined || traceId === noTrace) return undefined;
  if (spanId === undefined || spanId === noSpan) return undefined;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & sampledFlag}`;
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & sampledFlag) !== 0;
}
