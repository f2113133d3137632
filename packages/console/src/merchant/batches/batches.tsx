import type { Batch } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { batches } from "../../api/lists.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { codeColumn, textColumn } from "../../ui/columns.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { BatchLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";
import { listed } from "../rules/span.ts";

const words = t.batches;

const columns: readonly Column<Batch>[] = [
  {
    id: "created",
    header: t.list.created,
    cell: ({ id, created_at: at }) => (
      <BatchLink id={id}>
        <Moment at={at} />
      </BatchLink>
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
  codeColumn("id", t.list.id, (row) => row.id, { width: "wide" }),
];

const filters: readonly Filter[] = [
  { name: "state", label: words.state, kind: "choice", options: Object.entries(words.states) },
];

export function Batches() {
  const session = useSession();
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={listed(batches)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "batches" }}
      filters={filters}
      add={
        may(session, "payout:write") ? (
          <Link to="/batches/new" className="button" data-kind="primary">
            {words.add}
          </Link>
        ) : null
      }
    />
  );
}
