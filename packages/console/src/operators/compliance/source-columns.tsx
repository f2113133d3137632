import type { ListSource } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { isoOf } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
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
  momentColumn("checked", words.checked, (row) => isoOf(row.checkedAt)),
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
  momentColumn("next", words.next, (row) => isoOf(row.nextCheckAt), { width: "wide" }),
];
