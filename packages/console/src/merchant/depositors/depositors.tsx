import type { Depositor } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { depositors } from "../../api/lists.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { depositorName } from "../rules/depositor.ts";
import { listed } from "../rules/span.ts";

const words = t.depositors;

const kindOf = ({ depositor_type: type = "" }: Depositor) => words.types[type] ?? words.ownBusiness;

const columns: readonly Column<Depositor>[] = [
  {
    id: "name",
    header: words.name,
    cell: (row) => (
      <Link to="/depositors/$depositorId" params={{ depositorId: row.id }}>
        {depositorName(row)}
      </Link>
    ),
    csv: depositorName,
  },
  {
    id: "status",
    header: t.list.status,
    cell: ({ status }) => <StateBadge state={status} words={words.states} />,
    csv: (row) => row.status,
  },
  { id: "type", header: words.type, cell: kindOf, csv: kindOf },
  textColumn("relation", words.relation, (row) => row.depositor_relation ?? "", { width: "wide" }),
  codeColumn("wallet", words.wallet, (row) => row.depositor_wallet_address ?? "", {
    width: "wide",
  }),
  momentColumn("created", t.list.created, (row) => row.created_at, { width: "wide" }),
];

const fileColumns: readonly Column<Depositor>[] = [
  { id: "id", header: t.list.id, cell: () => null, csv: (row) => row.id },
  ...columns,
];

const filters: readonly Filter[] = [
  { name: "status", label: t.list.status, kind: "choice", options: Object.entries(words.states) },
  {
    name: "depositor_type",
    label: words.type,
    kind: "choice",
    options: Object.entries(words.types),
  },
  { name: "created_from", label: t.list.from, kind: "day" },
  { name: "created_to", label: t.list.to, kind: "day" },
];

export function Depositors() {
  const session = useSession();
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={listed(depositors)}
      columns={columns}
      keyOf={(row) => row.id}
      file={{ name: "depositors", columns: fileColumns }}
      filters={filters}
      add={
        may(session, "depositor:write") ? (
          <Link to="/depositors/new" className="button" data-kind="primary">
            {words.add}
          </Link>
        ) : null
      }
    />
  );
}
