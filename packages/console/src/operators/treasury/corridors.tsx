import type { Corridor } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Link } from "@tanstack/react-router";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { momentColumn, numberColumn, textColumn } from "../../ui/columns.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { grouped } from "../../ui/rules/amounts.ts";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.treasury.corridors;
const wide = { width: "wide" } as const;

const nameOf = (row: Corridor) => `${row.sourceCurrencyCode} → ${row.destinationCurrencyCode}`;
const feesOf = (row: Corridor) => `${row.feeShare} + ${row.feeFlat} ${row.sourceCurrencyCode}`;
const limitsOf = ({ limits }: Corridor) =>
  `${grouped(limits?.sourceMin ?? "")} – ${grouped(limits?.sourceMax ?? "")}`;
const railsOf = ({ rails }: Corridor) => [...new Set(rails.map(({ rail }) => rail))].join(", ");

const columns: readonly Column<Corridor>[] = [
  textColumn("corridor", words.corridor, nameOf, {
    cell: (row) => (
      <Link to="/treasury/corridors/$corridorId" params={{ corridorId: row.id }}>
        {nameOf(row)}
      </Link>
    ),
  }),
  textColumn("state", words.state, ({ active }) => String(active), {
    cell: ({ active }) => (
      <Badge tone={active ? "good" : "plain"}>{active ? words.active : words.inactive}</Badge>
    ),
  }),
  numberColumn("rate", words.rate, ({ rate }) => rate?.rate ?? ""),
  momentColumn("asOf", words.asOf, ({ rate }) => isoOf(rate?.asOf)),
  textColumn("source", words.source, ({ rate }) => rate?.source ?? "", wide),
  textColumn("fees", words.fees, feesOf, wide),
  textColumn("limits", words.limits, limitsOf, wide),
  textColumn("rails", words.rails, railsOf, wide),
];

const source = rpcSource(["corridors"], "corridors", rpcs.quote.listCorridors);

export function Corridors() {
  return (
    <ListPage
      caption={words.caption}
      source={() => source}
      columns={columns}
      keyOf={({ id }) => id}
      file={{ name: "corridors" }}
    />
  );
}
