import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { longColumn, textColumn } from "../../ui/columns.tsx";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.treasury.rails;

function stateOf({ paused, available }: RailInfo) {
  if (paused) return ["warn", words.paused] as const;
  return available ? (["good", words.available] as const) : (["bad", words.unavailable] as const);
}

function State({ rail }: { rail: RailInfo }) {
  const [tone, text] = stateOf(rail);
  return <Badge tone={tone}>{text}</Badge>;
}

const columns: readonly Column<RailInfo>[] = [
  textColumn("rail", words.rail, ({ name }) => name),
  textColumn("state", words.state, (row) => stateOf(row)[1], {
    cell: (row) => <State rail={row} />,
  }),
  longColumn("why", words.why, ({ reason }) => reason),
  textColumn("currencies", words.currencies, (row) => row.currencyCodes.join(", "), {
    width: "wide",
  }),
  textColumn(
    "methods",
    words.methods,
    (row) => [...row.transferMethods, ...row.networks].join(", "),
    {
      width: "wide",
    },
  ),
];

/** The list of rails. */
export const rails = {
  columns,
  source: rpcSource(["rails"], "rails", () => rpcs.operations.listRails({})),
  keyOf: ({ name }: RailInfo) => name,
};
