import { getRouteApi, Link } from "@tanstack/react-router";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { PageFilters, textFilter } from "../../ui/filters.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Part } from "../../ui/part.tsx";
import { findSpans, type SpanQuery } from "./spans.ts";
import { Waterfall } from "./waterfall.tsx";

const words = operatorTexts.platform.trace;
const route = getRouteApi("/shell/trace");

const filters = [textFilter("request_id", words.requestId), textFilter("trace_id", words.traceId)];

export function TracePage() {
  const search = route.useSearch();
  const [requestId = "", traceId = ""] = [search.request_id?.trim(), search.trace_id?.trim()];
  return (
    <Page lead={words.lead}>
      <PageFilters filters={filters} />
      {requestId || traceId ? (
        <Part id={`${requestId} ${traceId}`}>
          <Spans {...{ requestId, traceId }} />
        </Part>
      ) : (
        <Notice tone="info">{words.ask}</Notice>
      )}
    </Page>
  );
}

function Spans(query: SpanQuery) {
  const found = useAnswer(["trace", query], () => findSpans(query));
  const { traceIds, spans, isKept, unavailable } = found;
  return (
    <>
      {unavailable.length === 0 ? null : (
        <Notice tone="warn">{words.unavailable({ places: unavailable.join(", ") })}</Notice>
      )}
      {traceIds.length < 2 ? null : (
        <div className="card">
          <p>{words.several}</p>
          <ul className="plain">
            {traceIds.map((id) => (
              <li key={id}>
                <Link to="/trace" search={{ trace_id: id }} className="mono break">
                  {id}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      {spans.length === 0 ? (
        <Notice tone="info">{isKept ? words.notFound : words.notKept}</Notice>
      ) : (
        <Waterfall spans={spans} />
      )}
    </>
  );
}
