import type { ListSource } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { countColumn, longColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import type { Column } from "../../ui/table.tsx";

const words = operatorTexts.compliance.lists;

const columns: readonly Column<ListSource>[] = [
  textColumn("list", words.list, ({ list }) => list),
  textColumn("outcome", words.outcome, ({ outcome }) => outcome, {
    cell: ({ outcome, failures }) => (
      <Badge tone={failures > 0 ? "bad" : "good"}>{words.outcomes[outcome] ?? outcome}</Badge>
    ),
  }),
  momentColumn("checked", words.checked, (row) => isoOf(row.checkedAt)),
  countColumn("failures", words.failures, ({ failures }) => failures),
  longColumn("problem", words.problem, ({ problem }) => problem, { width: "wide" }),
  momentColumn("next", words.next, (row) => isoOf(row.nextCheckAt), { width: "wide" }),
];

/** The publishers that lists are fetched from. */
export const listSources = {
  columns,
  source: rpcSource(["compliance", "sources"], "sources", () => rpcs.compliance.listSources({})),
  keyOf: ({ list }: ListSource) => list,
  empty: words.noSources,
};
