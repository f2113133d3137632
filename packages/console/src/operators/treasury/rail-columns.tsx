import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.treasury.rails;

const currenciesOf = (row: RailInfo) => row.currencyCodes.join(", ");
const methodsOf = (row: RailInfo) => [...row.transferMethods, ...row.networks].join(", ");

function stateOf({ paused, available }: RailInfo): string {
  if (paused) return words.paused;
  return available ? words.available : words.unavailable;
}

export const railColumns: readonly Column<RailInfo>[] = [
  textColumn("rail", words.rail, ({ name }) => name),
  { id: "state", header: words.state, cell: (row) => <State rail={row} />, csv: stateOf },
  {
    id: "why",
    header: words.why,
    cell: ({ reason }) => <span className="break">{reason}</span>,
    csv: ({ reason }) => reason,
  },
  textColumn("currencies", words.currencies, currenciesOf, { width: "wide" }),
  textColumn("methods", words.methods, methodsOf, { width: "wide" }),
];

function State({ rail }: { rail: RailInfo }) {
  const tone = rail.available ? "good" : "bad";
  return <Badge tone={rail.paused ? "warn" : tone}>{stateOf(rail)}</Badge>;
}
