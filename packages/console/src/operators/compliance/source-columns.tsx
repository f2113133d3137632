import type { ListSource } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { isoOf } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { textColumn } from "../../ui/columns.tsx";
import { Moment } from "../../ui/moment.tsx";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.compliance.lists;

export const sourceColumns: readonly Column<ListSource>[] = [
  textColumn("list", words.list, (row) => row.list),
  {
    id: "outcome",
    header: words.outcome,
    cell: ({ outcome, failures }) => (
      <Badge tone={failures > 0 ? "bad" : "good"}>{words.outcomes[outcome] ?? outcome}</Badge>
    ),
    csv: ({ outcome }) => outcome,
  },
  {
    id: "checked",
    header: words.checked,
    cell: (row) => <Moment at={isoOf(row.checkedAt)} />,
    csv: (row) => isoOf(row.checkedAt),
  },
  {
    id: "failures",
    header: words.failures,
    align: "end",
    cell: (row) => row.failures,
    csv: (row) => String(row.failures),
  },
  {
    id: "problem",
    header: words.problem,
    width: "wide",
    cell: (row) => <span className="break">{row.problem}</span>,
    csv: (row) => row.problem,
  },
  {
    id: "next",
    header: words.next,
    width: "wide",
    cell: (row) => <Moment at={isoOf(row.nextCheckAt)} />,
    csv: (row) => isoOf(row.nextCheckAt),
  },
];
