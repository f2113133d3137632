import type { HistoricRate } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { readAllFrom, type Source } from "../../api/pages.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { Chart } from "../../ui/chart.tsx";
import { codeColumn, momentColumn, numberColumn, textColumn } from "../../ui/columns.tsx";
import { type Filter, PageFilters } from "../../ui/filters.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { endOf } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { rateBounds, ratePoints } from "./rules/rate-points.ts";
import { spanOf } from "./span.ts";

const words = operatorTexts.treasury.corridor;
const route = getRouteApi("/shell/treasury/corridors/$corridorId");
const wide = { width: "wide" } as const;

/** Maximum number of rates in the chart. Reading them takes ten requests. */
const drawnMax = 1_000;

const columns: readonly Column<HistoricRate>[] = [
  momentColumn("asOf", words.asOf, ({ rate }) => isoOf(rate?.asOf)),
  numberColumn("rate", words.rate, ({ rate }) => rate?.rate ?? ""),
  textColumn("source", words.source, ({ rate }) => rate?.source ?? ""),
  momentColumn("received", words.received, (row) => isoOf(row.receivedAt), wide),
  textColumn("by", words.by, ({ setBy }) => operatorName(setBy?.id), wide),
  codeColumn("approved", words.approved, ({ approvedBy }) => approvedBy, wide),
];

const filters: readonly Filter[] = [
  { name: "from", label: t.list.from, kind: "day" },
  { name: "to", label: t.list.to, kind: "day" },
];

export function CorridorPage() {
  const { corridorId } = route.useParams();
  const search = route.useSearch();
  const span = spanOf(search.from, search.to);
  const rates = rpcSource(["corridors", "rates", corridorId, search], "rates", (page) =>
    rpcs.quote.listRates({ corridorId, ...span, ...page }),
  );
  const { corridor } = useAnswer(["corridors", "one", corridorId], () =>
    rpcs.quote.listRates({ corridorId, limit: 1 }),
  );
  const { sourceCurrencyCode: source = "", destinationCurrencyCode: destination = "" } =
    corridor ?? {};
  const terms = { from: source, to: destination };
  return (
    <Page
      title={words.title({ source, destination })}
      id={corridorId}
      actions={
        <>
          <ActionLink name="rates set" label={words.setRate} values={{ corridor: corridorId }} />
          <ActionLink name="corridors set" label={words.setTerms} values={terms} />
        </>
      }
    >
      <PageFilters filters={filters} />
      <Section title={words.chart}>
        <Drawn source={rates} to={search.to} />
      </Section>
      <ListSection
        title={words.history}
        caption={words.caption}
        columns={columns}
        keyOf={({ receivedAt, rate }) => `${isoOf(rate?.asOf)}:${isoOf(receivedAt)}`}
        empty={words.empty}
        source={rates}
        file={`rates-${source}-${destination}`}
      />
    </Page>
  );
}

function Drawn(props: {
  source: Source<HistoricRate>;
  /** The last day in the chart. Defaults to today. */
  to: string | undefined;
}) {
  const { source, to } = props;
  const { items: rates, isCut } = useAnswer([...source.key, "drawn"], () =>
    readAllFrom(source, drawnMax),
  );
  const points = useMemo(() => {
    const dated = rates.map(({ rate }) => ({ rate: rate?.rate ?? "", asOf: isoOf(rate?.asOf) }));
    const now = Date.now();
    return ratePoints(dated, to ? Math.min(now, endOf(to).getTime()) : now);
  }, [rates, to]);
  const bounds = rateBounds(points);
  if (bounds === undefined) return null;
  return (
    <>
      {isCut ? <Notice tone="info">{words.cut({ count: drawnMax })}</Notice> : null}
      <div className="card">
        <Chart
          kind="steps"
          points={points}
          label={words.drawn({ count: rates.length, ...bounds })}
        />
      </div>
    </>
  );
}
