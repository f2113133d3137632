import type { MatcherConfig } from "./config.ts";
import { type Reason, roundScore, type weighEvidence } from "./evidence.ts";

/** The outcomes of a screening, mildest first: proceed, manual review, stop. */
export const verdicts = ["clear", "review", "block"] as const;
/** One of the three; see `verdicts`. */
export type Verdict = (typeof verdicts)[number];

/** The worst of several verdicts; `clear` of none. */
export function worstVerdict(some: readonly Verdict[]): Verdict {
  return verdicts.findLast((verdict) => some.includes(verdict)) ?? "clear";
}

/**
 * The verdict of a weighed score. A contradicting birth date makes a block a review, since lists
 * hold wrong dates and people share names. Evidence beside the name never clears a name that is a
 * review by itself.
 */
export function decide(
  nameScore: number,
  evidence: ReturnType<typeof weighEvidence>,
  { bands }: MatcherConfig,
): { verdict: Verdict; score: number; reasons: readonly Reason[] } {
  const { score, dateContradicts } = evidence;
  if (score >= bands.block && dateContradicts) {
    const text = "date: a contradicting date is for a person to decide";
    return { verdict: "review", score, reasons: [{ kind: "date", text, effect: 0 }] };
  }
  if (score >= bands.block) return { verdict: "block", score, reasons: [] };
  if (score >= bands.review) return { verdict: "review", score, reasons: [] };
  if (nameScore < bands.review) return { verdict: "clear", score, reasons: [] };
  const effect = roundScore(bands.review - score);
  const text = "name: alike enough that nothing else clears it";
  return { verdict: "review", score: bands.review, reasons: [{ kind: "name", text, effect }] };
}
