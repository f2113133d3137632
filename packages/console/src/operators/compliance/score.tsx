import {
  type AlignedPart,
  type Hit,
  type Reason,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { longColumn, numberColumn, textColumn } from "../../ui/columns.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";

const words = operatorTexts.compliance.alert;

const reasonColumns: readonly Column<Reason>[] = [
  textColumn("kind", words.part, ({ kind }) => words.kinds[kind] ?? kind),
  longColumn("text", words.why, ({ text }) => text),
  numberColumn("effect", words.effect, ({ effect }) => scoreText(effect, true)),
];

const partColumns: readonly Column<AlignedPart>[] = [
  textColumn("party", words.partyWord, ({ party }) => party),
  textColumn("entry", words.entryWord, ({ entry }) => entry),
  numberColumn("similarity", words.similarity, ({ similarity }) => scoreText(similarity)),
  numberColumn("weight", words.weight, ({ weight }) => scoreText(weight)),
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

const tones: Readonly<Record<string, Tone>> = { clear: "good", review: "warn", block: "bad" };

export function VerdictBadge({ verdict = Verdict.UNSPECIFIED }: { verdict?: Verdict | undefined }) {
  const name = enumName(Verdict, verdict);
  return (
    <Badge tone={tones[name] ?? "plain"}>{operatorTexts.compliance.verdicts[name] ?? name}</Badge>
  );
}

const twoDecimals = new Intl.NumberFormat("en", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Formats a score with two decimals and a typographic minus sign. */
export function scoreText(score: number | undefined, isPart = false): string {
  if (score === undefined) return "";
  const text = twoDecimals.format(Math.abs(score));
  if (!isPart) return text;
  return score < 0 ? `−${text}` : `+${text}`;
}
