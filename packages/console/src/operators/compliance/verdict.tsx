import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";

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
