import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { SpanSchema, type TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isRequestId } from "../rpc/identity.ts";
import { orThrow } from "../rpc/refusal.ts";
import type { KeptSpan, SpanMemory, SpanQuery } from "./memory.ts";

const traceIdPattern = /^[0-9a-f]{32}$/;

/** The spans of a service's process; none where it keeps none. */
export function traceRpc(
  service: string,
  memory: SpanMemory | undefined,
): ServiceImpl<typeof TraceService> {
  return {
    listSpans: (request) => {
      const query = orThrow(queryOf(request));
      const spans = memory?.find(query) ?? [];
      return {
        spans: spans.map((span) => spanMessage(service, span)),
        keptMax: memory?.keptMax ?? 0,
      };
    },
  };
}

function queryOf(request: {
  readonly traceId: string;
  readonly requestId: string;
}): SpanQuery | Refused<"INVALID_REQUEST"> {
  const { traceId, requestId } = request;
  if ((traceId === "") === (requestId === "")) {
    return refused("INVALID_REQUEST", "trace_id: either it or request_id is required");
  }
  if (requestId !== "") {
    if (isRequestId(requestId)) return { requestId };
    return refused("INVALID_REQUEST", "request_id: must be well-formed");
  }
  if (traceIdPattern.test(traceId)) return { traceId };
  return refused("INVALID_REQUEST", "trace_id: must be 32 hexadecimal digits");
}

function spanMessage(service: string, { startedUs, durationUs, place: _, ...span }: KeptSpan) {
  const seconds = Math.floor(startedUs / 1_000_000);
  return create(SpanSchema, {
    ...span,
    service,
    startedAt: { seconds: BigInt(seconds), nanos: (startedUs - seconds * 1_000_000) * 1_000 },
    durationUs: BigInt(durationUs),
  });
}
