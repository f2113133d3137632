import type { Corridor } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Link } from "@tanstack/react-router";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { grouped } from "../../ui/rules/amounts.ts";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.treasury.corridors;

const nameOf = (row: Corridor) => `${row.sourceCurrencyCode} → ${row.destinationCurrencyCode}`;
const feesOf = (row: Corridor) => `${row.feeShare} + ${row.feeFlat} ${row.sourceCurrencyCode}`;
const limitsOf = ({ limits }: Corridor) =>
  `${grouped(limits?.sourceMin ?? "")} – ${grouped(limits?.sourceMax ?? "")}`;
const railsOf = ({ rails }: Corridor) => [...new Set(rails.map(({ rail }) => rail))].join(", ");

const columns: readonly Column<Corridor>[] = [
  {
    id: "corridor",
    header: words.corridor,
    cell: (row) => (
      <Link to="/treasury/corridors/$corridorId" params={{ corridorId: row.id }}>
        {nameOf(row)}
      </Link>
    ),
    csv: nameOf,
  },
  {
    id: "state",
    header: words.state,
    cell: ({ active }) => (
      <Badge tone={active ? "good" : "plain"}>{active ? words.active : words.inactive}</Badge>
    ),
    csv: ({ active }) => String(active),
  },
  {
    id: "rate",
    header: words.rate,
    align: "end",
    cell: ({ rate }) => <span className="money">{rate?.rate}</span>,
    csv: ({ rate }) => rate?.rate ?? "",
  },
  momentColumn("asOf", words.asOf, ({ rate }) => isoOf(rate?.asOf)),
  textColumn("source", words.source, ({ rate }) => rate?.source ?? "", { width: "wide" }),
  { id: "fees", header: words.fees, width: "wide", cell: feesOf, csv: feesOf },
  { id: "limits", header: words.limits, width: "wide", cell: limitsOf, csv: limitsOf },
  { id: "rails", header: words.rails, width: "wide", cell: railsOf, csv: railsOf },
];

const source = rpcSource(["corridors"], async (page) => {
  const answer = await rpcs.quote.listCorridors(page);
  return pageOf(answer.corridors, answer.nextCursor, answer.totalCount);
});

export function Corridors() {
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      source={() => source}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "corridors" }}
    />
  );
}
