import type { Batch } from "@disburse/sdk/gen/types.ts";
import { getRouteApi, Link } from "@tanstack/react-router";
import { batches } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/en.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";

const words = t.batches;
const route = getRouteApi("/shell/batches");

const columns: readonly Column<Batch>[] = [
  {
    id: "created",
    header: t.list.created,
    cell: ({ id, created_at: at }) => (
      <Link to="/batches/$batchId" params={{ batchId: id }}>
        <Moment at={at} />
      </Link>
    ),
    csv: (row) => row.created_at,
  },
  textColumn("reference", words.reference, (row) => row.reference_id),
  {
    id: "state",
    header: words.state,
    cell: ({ state }) => <StateBadge state={state} words={words.states} />,
    csv: (row) => row.state,
  },
  {
    id: "lines",
    header: words.lines,
    align: "end",
    cell: (row) => row.line_count,
    csv: (row) => String(row.line_count),
  },
  {
    id: "progress",
    header: words.progress,
    align: "end",
    width: "wide",
    cell: (row) => `${row.executed_count} / ${row.failed_count}`,
    csv: (row) => `${row.executed_count}/${row.failed_count}`,
  },
  {
    id: "cost",
    header: words.cost,
    align: "end",
    width: "first",
    cell: (row) => <Money amount={row.total_amount} currency={row.source_currency_code} />,
    csv: (row) => row.total_amount,
  },
  textColumn("maker", t.list.makers, (row) => actorName(row.created_by), { width: "wide" }),
  textColumn("decider", t.list.deciders, (row) => actorName(row.approval.decided_by), {
    width: "wide",
  }),
  {
    id: "id",
    header: t.list.id,
    width: "wide",
    cell: ({ id }) => <span className="mono break">{id}</span>,
    csv: (row) => row.id,
  },
];

const filters: readonly Filter[] = [
  { name: "state", label: words.state, kind: "choice", options: Object.entries(words.states) },
];

export function Batches() {
  const session = useSession();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ExportButton name="batches" read={() => readAll(batches, search)} columns={columns} />
          {may(session, "payout:write") ? (
            <Link to="/batches/new" className="button" data-kind="primary">
              {words.add}
            </Link>
          ) : null}
        </>
      }
    >
      <Filters
        filters={filters}
        values={search}
        onChange={(next) => void navigate({ search: next })}
      />
      <List
        caption={words.caption}
        list={batches}
        query={search}
        columns={columns}
        keyOf={({ id }) => id}
        empty={words.empty}
      />
    </Page>
  );
}
