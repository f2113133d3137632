import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { wordIn } from "../../api/enum-words.ts";
import { t } from "../../catalogue/en.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";

const tones: Readonly<Record<string, Tone>> = { clear: "good", review: "warn", block: "bad" };

/** A verdict in a word. */
export function VerdictBadge({ verdict = Verdict.UNSPECIFIED }: { verdict?: Verdict | undefined }) {
  const word = wordIn(Verdict, verdict);
  return <Badge tone={tones[word] ?? "plain"}>{t.compliance.verdicts[word] ?? word}</Badge>;
}

const twoDecimals = new Intl.NumberFormat("en", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** A score, or a part of one, with two decimals; a minus is written as one. */
export function scoreText(score: number | undefined, isPart = false): string {
  if (score === undefined) return "";
  const text = twoDecimals.format(Math.abs(score));
  if (!isPart) return text;
  return score < 0 ? `−${text}` : `+${text}`;
}
