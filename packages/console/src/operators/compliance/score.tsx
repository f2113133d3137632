import type {
  AlignedPart,
  Hit,
  Reason,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { scoreText, VerdictBadge } from "./verdict.tsx";

const words = operatorTexts.compliance.alert;

const reasonColumns: readonly Column<Reason>[] = [
  { id: "kind", header: words.part, cell: ({ kind }) => words.kinds[kind] ?? kind },
  { id: "text", header: words.why, cell: ({ text }) => <span className="break">{text}</span> },
  {
    id: "effect",
    header: words.effect,
    align: "end",
    cell: ({ effect }) => scoreText(effect, true),
  },
];

const partColumns: readonly Column<AlignedPart>[] = [
  { id: "party", header: words.partyWord, cell: (row) => row.party },
  { id: "entry", header: words.entryWord, cell: (row) => row.entry },
  {
    id: "similarity",
    header: words.similarity,
    align: "end",
    cell: (row) => scoreText(row.similarity),
  },
  { id: "weight", header: words.weight, align: "end", cell: (row) => scoreText(row.weight) },
];

export function Score({ hit }: { hit: Hit }) {
  return (
    <div className="columns">
      <div className="stack">
        <DataTable
          caption={words.scoreCaption}
          columns={reasonColumns}
          rows={hit.reasons}
          keyOf={({ kind, text }) => `${kind}:${text}`}
        />
        <p className="row">
          <span>
            {words.total}: <strong>{scoreText(hit.score)}</strong>
          </span>
          <span className="soft">
            {words.names}: {scoreText(hit.nameScore)}
          </span>
          <VerdictBadge verdict={hit.verdict} />
        </p>
      </div>
      {hit.parts.length === 0 ? null : (
        <div className="stack">
          <DataTable
            caption={words.alike}
            columns={partColumns}
            rows={hit.parts}
            keyOf={({ party, entry }) => `${party}:${entry}`}
          />
          <p className="soft small">{words.alikeText}</p>
        </div>
      )}
    </div>
  );
}
