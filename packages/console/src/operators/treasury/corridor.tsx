import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HistoricRate } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { readAllFrom, type Source } from "../../api/pages.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { Chart } from "../../ui/chart.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { Filters } from "../../ui/filters.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { endOf, startOf } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { rateBounds, ratePoints } from "./rules/rate-points.ts";

const words = operatorTexts.treasury.corridor;
const route = getRouteApi("/shell/treasury/corridors/$corridorId");

/** Maximum number of rates in the chart. Reading them takes ten requests. */
const drawnMax = 1_000;

const columns: readonly Column<HistoricRate>[] = [
  momentColumn("asOf", words.asOf, ({ rate }) => isoOf(rate?.asOf)),
  {
    id: "rate",
    header: words.rate,
    align: "end",
    cell: ({ rate }) => <span className="money">{rate?.rate}</span>,
    csv: ({ rate }) => rate?.rate ?? "",
  },
  textColumn("source", words.source, ({ rate }) => rate?.source ?? ""),
  momentColumn("received", words.received, (row) => isoOf(row.receivedAt), { width: "wide" }),
  textColumn("by", words.by, ({ setBy }) => operatorName(setBy?.id), { width: "wide" }),
  codeColumn("approved", words.approved, ({ approvedBy }) => approvedBy, { width: "wide" }),
];

/** Converts the URL's days to the list's time limits. */
function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    ...(from === undefined || from === "" ? {} : { from: timestampFromDate(startOf(from)) }),
    ...(to === undefined || to === "" ? {} : { to: timestampFromDate(endOf(to)) }),
  };
}

export function CorridorPage() {
  const { corridorId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const rates = rpcSource(["corridors", "rates", corridorId, search], async (page) => {
    const answer = await rpcs.quote.listRates({ corridorId, ...spanOf(search), ...page });
    return pageOf(answer.rates, answer.nextCursor);
  });
  const corridor = useQuery({
    queryKey: ["corridors", "one", corridorId],
    queryFn: async () => (await rpcs.quote.listRates({ corridorId, limit: 1 })).corridor,
  });
  const { sourceCurrencyCode: source = "", destinationCurrencyCode: destination = "" } =
    corridor.data ?? {};
  return (
    <Page
      title={words.title({ source, destination })}
      id={corridorId}
      actions={
        <>
          <ActionLink name="rates set" label={words.setRate} values={{ corridor: corridorId }} />
          <ActionLink
            name="corridors set"
            label={words.setTerms}
            values={{ from: source, to: destination }}
          />
        </>
      }
    >
      <Filters
        filters={[
          { name: "from", label: t.list.from, kind: "day" },
          { name: "to", label: t.list.to, kind: "day" },
        ]}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
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
  const found = useSuspenseQuery({
    queryKey: [...source.key, "drawn"],
    queryFn: () => readAllFrom(source, drawnMax),
  });
  const rates = found.data.items;
  const points = useMemo(() => {
    const dated = rates?.map(({ rate }) => ({ rate: rate?.rate ?? "", asOf: isoOf(rate?.asOf) }));
    const now = Date.now();
    return ratePoints(dated ?? [], to ? Math.min(now, endOf(to).getTime()) : now);
  }, [rates, to]);
  const bounds = rateBounds(points);
  if (bounds === undefined) return null;
  return (
    <>
      {found.data.isCut ? <Notice tone="info">{words.cut({ count: drawnMax })}</Notice> : null}
      <div className="card">
        <Chart
          kind="steps"
          points={points}
          label={words.drawn({
            count: rates?.length ?? 0,
            lowest: bounds.lowest,
            highest: bounds.highest,
          })}
        />
      </div>
    </>
  );
}
