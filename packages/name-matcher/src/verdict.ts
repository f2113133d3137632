import type { MatcherConfig } from "./config.ts";
import { type Reason, roundScore, type weighEvidence } from "./evidence.ts";
import type { NameMatch } from "./index/search.ts";

/** The outcomes of a screening, mildest first: proceed, manual review, stop. */
export const verdicts = ["clear", "review", "block"] as const;
export type Verdict = (typeof verdicts)[number];

/** Returns the worst of several verdicts, and `clear` for an empty list. */
export function worstVerdict(some: readonly Verdict[]): Verdict {
  return verdicts.findLast((verdict) => some.includes(verdict)) ?? "clear";
}

/**
 * Decides the verdict from the score after evidence. A contradicting birth date turns a block into
 * a review, because lists contain wrong dates and people share names. If the names alone give a
 * review, or the party's name contains a listed one or is one with initials, no evidence can clear
 * the hit. These rules change only the verdict, so their reasons have no effect on the score.
 */
export function decide(
  nameScore: number,
  evidence: ReturnType<typeof weighEvidence>,
  { contained, initials }: Partial<Pick<NameMatch, "contained" | "initials">>,
  { bands, containment, initials: rules }: MatcherConfig,
): { verdict: Verdict; reasons: readonly Reason[] } {
  const { score, dateContradicts } = evidence;
  if (score >= bands.block && dateContradicts) {
    return { verdict: "review", reasons: [rule("date", "a contradicting date needs a review")] };
  }
  if (score >= bands.block) return { verdict: "block", reasons: [] };
  if (score >= bands.review) return { verdict: "review", reasons: [] };
  if (contained !== undefined) {
    const { words, rarity } = contained;
    const bound =
      words.length < containment.wordsMin
        ? "one word, equal"
        : `rarity ${roundScore(rarity)}, at least ${containment.rarityMin}`;
    const text = `contains every word of a listed name: ${words.join(", ")} (${bound})`;
    return { verdict: "review", reasons: [rule("name", text)] };
  }
  if (nameScore >= bands.review) {
    return {
      verdict: "review",
      reasons: [rule("name", "alike enough that nothing else clears it")],
    };
  }
  if (initials === undefined) return { verdict: "clear", reasons: [] };
  const { words, rarity } = initials;
  const begun = initials.initials.map(({ initial, word }) => `${initial} (${word})`);
  const bound = `rarity ${roundScore(rarity)}, at least ${rules.rarityMin}`;
  const text = `initials of a listed name: ${[...words, ...begun].join(", ")} (${bound})`;
  return { verdict: "review", reasons: [rule("name", text)] };
}

const rule = (kind: "date" | "name", text: string): Reason => ({
  kind,
  text: `${kind}: ${text}`,
  effect: 0,
});
