import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type FoundSpans, findSpans } from "./spans.ts";
import { Waterfall } from "./waterfall.tsx";

const words = operatorTexts.platform.trace;
const route = getRouteApi("/shell/trace");

const filters: readonly Filter[] = [
  { name: "request_id", label: words.requestId, kind: "text" },
  { name: "trace_id", label: words.traceId, kind: "text" },
];

export function TracePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { request_id: requestId = "", trace_id: traceId = "" } = search;
  const isRequested = requestId !== "" || traceId !== "";
  const found = useQuery({
    queryKey: ["trace", requestId, traceId],
    queryFn: () => findSpans({ requestId: requestId.trim(), traceId: traceId.trim() }),
    enabled: isRequested,
  });
  return (
    <Page title={words.title} lead={words.lead}>
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      {isRequested ? null : <Notice tone="info">{words.ask}</Notice>}
      {isRequested && found.isPending ? <p role="status">{t.states.loading}</p> : null}
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {found.data === undefined ? null : <Spans found={found.data} />}
    </Page>
  );
}

function Spans({ found: { traceIds, spans, isKept, unavailable } }: { found: FoundSpans }) {
  return (
    <>
      {unavailable.length === 0 ? null : (
        <Notice tone="warn">{words.unavailable({ places: unavailable.join(", ") })}</Notice>
      )}
      {traceIds.length < 2 ? null : <OtherTraces traceIds={traceIds} />}
      {spans.length === 0 ? (
        <Notice tone="info">{isKept ? words.notFound : words.notKept}</Notice>
      ) : (
        <Waterfall spans={spans} />
      )}
    </>
  );
}

function OtherTraces({ traceIds }: { traceIds: readonly string[] }) {
  return (
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
  );
}
