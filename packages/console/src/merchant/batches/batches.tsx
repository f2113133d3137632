import type { Batch } from "@disburse/sdk/gen/types.ts";
import { batches } from "../../api/lists.ts";
import { t } from "../../catalogue/texts.ts";
import { AddLink } from "../../ui/add-link.tsx";
import {
  codeColumn,
  countColumn,
  momentColumn,
  moneyColumn,
  stateColumn,
  textColumn,
} from "../../ui/columns.tsx";
import { choiceFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Moment } from "../../ui/moment.tsx";
import { BatchLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { actorName } from "../names.tsx";
import { listed } from "../rules/span.ts";

const words = t.batches;
const wide = { width: "wide" } as const;

const columns: readonly Column<Batch>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at, {
    cell: ({ id, created_at: at }) => (
      <BatchLink id={id}>
        <Moment at={at} />
      </BatchLink>
    ),
  }),
  textColumn("reference", words.reference, (row) => row.reference_id),
  stateColumn(words.state, (row) => row.state, words.states),
  countColumn("lines", words.lines, (row) => row.line_count),
  textColumn("progress", words.progress, (row) => `${row.executed_count} / ${row.failed_count}`, {
    ...wide,
    align: "end",
  }),
  moneyColumn("cost", words.cost, (row) => [row.total_amount, row.source_currency_code]),
  textColumn("maker", t.list.makers, (row) => actorName(row.created_by), wide),
  textColumn("decider", t.list.deciders, (row) => actorName(row.approval.decided_by), wide),
  codeColumn("id", t.list.id, (row) => row.id, wide),
];

export function Batches() {
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={listed(batches)}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "batches" }}
      filters={[choiceFilter("state", words.state, words.states)]}
      add={
        <AddLink scope="payout:write" to="/batches/new">
          {t.shell.pages.newBatch}
        </AddLink>
      }
    />
  );
}
