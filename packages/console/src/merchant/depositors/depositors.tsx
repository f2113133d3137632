import type { Depositor } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { depositors } from "../../api/lists.ts";
import { t } from "../../catalogue/texts.ts";
import { AddLink } from "../../ui/add-link.tsx";
import { codeColumn, momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { choiceFilter, createdFilters } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { depositorName } from "../rules/depositor.ts";
import { listed } from "../rules/span.ts";

const words = t.depositors;

const kindOf = ({ depositor_type: type = "" }: Depositor) => words.types[type] ?? words.ownBusiness;

const idColumn = textColumn("id", t.list.id, ({ id }: Depositor) => id);

const columns: readonly Column<Depositor>[] = [
  textColumn("name", words.name, depositorName, {
    cell: (row) => (
      <Link to="/depositors/$depositorId" params={{ depositorId: row.id }}>
        {depositorName(row)}
      </Link>
    ),
  }),
  stateColumn(t.list.status, (row) => row.status, words.states),
  textColumn("type", words.type, kindOf),
  textColumn("relation", words.relation, (row) => row.depositor_relation ?? "", { width: "wide" }),
  codeColumn("wallet", words.wallet, (row) => row.depositor_wallet_address ?? "", {
    width: "wide",
  }),
  momentColumn("created", t.list.created, (row) => row.created_at, { width: "wide" }),
];

export function Depositors() {
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={listed(depositors)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "depositors", columns: [idColumn, ...columns] }}
      filters={[
        choiceFilter("status", t.list.status, words.states),
        choiceFilter("depositor_type", words.type, words.types),
        ...createdFilters,
      ]}
      add={
        <AddLink scope="depositor:write" to="/depositors/new">
          {words.add}
        </AddLink>
      }
    />
  );
}
