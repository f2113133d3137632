import type { ListSpansRequest, Span } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { Problem } from "../../api/problem.ts";
import { answerOf, type Place, places, tracesAt } from "../../api/rpc.ts";
import type { Placed } from "./rules/waterfall.ts";

/** A span with its place on the time axis. */
export type PlacedSpan = Omit<Span, "durationUs"> & Placed;

/** What the services have of a request or of a trace. */
export type FoundSpans = {
  readonly traceIds: readonly string[];
  /** Of the first trace. */
  readonly spans: readonly PlacedSpan[];
  /** Whether any process keeps spans. */
  readonly isKept: boolean;
  /** Those that did not answer. */
  readonly unheard: readonly Place[];
};

type Asked = Pick<ListSpansRequest, "traceId" | "requestId">;

/**
 * The spans of a trace, or of the trace that a request began: the service that the request came to
 * knows which it was, and all are asked for it then.
 */
export async function findSpans({ traceId, requestId }: Asked): Promise<FoundSpans> {
  if (traceId !== "") return spansOf([traceId], await askAll({ traceId, requestId: "" }));
  const began = await askAll({ traceId: "", requestId });
  const traceIds = [...new Set(began.spans.map((span) => span.traceId))];
  const [first] = traceIds;
  if (first === undefined) return spansOf([], began);
  return spansOf(traceIds, await askAll({ traceId: first, requestId: "" }));
}

type Answers = Pick<FoundSpans, "spans" | "isKept" | "unheard">;

const spansOf = (traceIds: readonly string[], answers: Answers): FoundSpans => {
  return { traceIds, ...answers };
};

async function askAll(asked: Asked): Promise<Answers> {
  const answers = await Promise.all(places.map((place) => ask(place, asked)));
  const spans = answers.flatMap((answer) => answer?.spans ?? []).map(placed);
  return {
    spans: spans.toSorted((a, b) => a.startedUs - b.startedUs),
    isKept: answers.some((answer) => (answer?.keptMax ?? 0) > 0),
    unheard: places.filter((_, at) => answers[at] === undefined),
  };
}

/** Nothing where the service does not answer: the others' spans are worth showing. */
async function ask(place: Place, asked: Asked) {
  try {
    return await answerOf(tracesAt(place).listSpans(asked));
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
