import type { Origin } from "../call-context.ts";
import { isRequestId, requestIdHeader } from "../rpc/identity.ts";
import { parseTraceparent, traceparentHeader } from "../traceparent.ts";

export function originHeaders(origin: Origin = {}): Readonly<Record<string, string>> {
  const { request_id: requestId, traceparent } = origin;
  return {
    ...(requestId === undefined ? {} : { [requestIdHeader]: requestId }),
    ...(traceparent === undefined ? {} : { [traceparentHeader]: traceparent }),
  };
}

/** Reads the origin of a message. A malformed header is ignored. */
export function originFromHeaders(headers: Readonly<Record<string, unknown>> = {}): Origin {
  const { [requestIdHeader]: requestId, [traceparentHeader]: traceparent } = headers;
  return {
    ...(isRequestId(requestId) && { request_id: requestId }),
    ...(isTraceparent(traceparent) && { traceparent }),
  };
}

function isTraceparent(sent: unknown): sent is string {
  return typeof sent === "string" && parseTraceparent(sent) !== undefined;
}
