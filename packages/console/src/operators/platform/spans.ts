import type { ListSpansRequest, Span } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { Problem } from "../../api/problem.ts";
import { answerOf, type Place, places, tracesAt } from "../../api/rpc.ts";
import type { Placed } from "./rules/waterfall.ts";

export type PlacedSpan = Omit<Span, "durationUs"> & Placed;

/** The spans of a request or trace from all services. */
type SpansRead = {
  readonly spans: readonly PlacedSpan[];
  /** True if any process keeps spans. */
  readonly isKept: boolean;
  /** Services that didn't respond. */
  readonly unavailable: readonly Place[];
};

export type SpanQuery = Pick<ListSpansRequest, "traceId" | "requestId">;

/**
 * Reads the spans of a trace, or of the trace that a request began. For a request, the service that
 * received the request returns the trace id. The spans of this trace are then read from all
 * services.
 */
export async function findSpans({ traceId, requestId }: SpanQuery) {
  const began = await readFromAll({ traceId, requestId: traceId === "" ? requestId : "" });
  if (traceId !== "") return { traceIds: [traceId], ...began };
  const traceIds = [...new Set(began.spans.map((span) => span.traceId))];
  const [first] = traceIds;
  const found = first ? await readFromAll({ traceId: first, requestId: "" }) : began;
  return { traceIds, ...found };
}

async function readFromAll(query: SpanQuery): Promise<SpansRead> {
  const responses = await Promise.all(places.map((place) => readFrom(place, query)));
  const spans = responses.flatMap((response) => response?.spans ?? []).map(placed);
  return {
    spans: spans.toSorted((a, b) => a.startedUs - b.startedUs),
    isKept: responses.some((response) => (response?.keptMax ?? 0) > 0),
    unavailable: places.filter((_, at) => responses[at] === undefined),
  };
}

/** Returns nothing for an unavailable service, so that the other services' spans are shown. */
async function readFrom(place: Place, query: SpanQuery) {
  try {
    return await answerOf(tracesAt(place).listSpans(query));
  } catch (error) {
    const isAway = error instanceof Problem && (error.status === 0 || error.status >= 500);
    if (isAway) return undefined;
    throw error;
  }
}

function placed(span: Span): PlacedSpan {
  const { seconds = 0n, nanos = 0 } = span.startedAt ?? {};
  const startedUs = Number(seconds) * 1_000_000 + Math.floor(nanos / 1_000);
  return { ...span, startedUs, durationUs: Number(span.durationUs) };
}
