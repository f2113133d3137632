import type { MatcherConfig } from "./config.ts";
import { type Reason, roundScore, type WeighedEvidence } from "./evidence.ts";

/** What a screening says: go on, let a person decide, stop. */
export const verdicts = ["clear", "review", "block"] as const;
/** One of the three; see `verdicts`. */
export type Verdict = (typeof verdicts)[number];

/** The worst of several verdicts; nothing to compare with is never asked here. */
export function worstVerdict(some: readonly Verdict[]): Verdict {
  return some.reduce<Verdict>(
    (worst, each) => (verdicts.indexOf(each) > verdicts.indexOf(worst) ? each : worst),
    "clear",
  );
}

/**
 * The verdict of a weighed score. A birth date that contradicts makes a block a review, since lists
 * hold wrong dates and people share names. What is known beside the name never clears a name
 * that a person would have to look at.
 */
export function decide(
  nameScore: number,
  evidence: WeighedEvidence,
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
