import { type Alignment, matchedWeight } from "./alignment/alignment.ts";
import type { Token } from "./alignment/token-similarity.ts";
import type { MatcherConfig } from "./config.ts";
import { type Reason, roundScore } from "./evidence.ts";

/** Tokens of the party's name, and the matching tokens of the listed name. */
export type AlignedPart = {
  readonly party: string;
  readonly entry: string;
  /** In [0, 1]; equal tokens have 1. */
  readonly similarity: number;
  /** The rarest token of the lists has weight 1. */
  readonly weight: number;
};

/** The alignment of two names: the matched tokens, and the unmatched tokens of each name. */
export type Explanation = {
  readonly parts: readonly AlignedPart[];
  readonly partyLeftOver: readonly string[];
  readonly entryLeftOver: readonly string[];
};

export type AlignedNames = {
  readonly alignment: Alignment;
  readonly party: readonly Token[];
  readonly entry: readonly Token[];
};

/** Describes an alignment for a compliance officer. */
export function explain({ alignment, party, entry }: AlignedNames): Explanation {
  return {
    parts: alignment.links.map((link) => ({
      party: texts(party, link.party).join(" "),
      entry: texts(entry, link.entry).join(" "),
      similarity: roundScore(link.similarity),
      weight: roundScore(link.weight),
    })),
    partyLeftOver: texts(party, alignment.party.bits),
    entryLeftOver: texts(entry, alignment.entry.bits),
  };
}

/**
 * Explains the score of an alignment by reasons. The effects of the reasons add up to the score.
 */
export function alignmentReasons(names: AlignedNames, config: MatcherConfig): Reason[] {
  const { links, matched, possible, score, ...sides } = names.alignment;
  if (links.length === 0) return [];
  const { parts, partyLeftOver, entryLeftOver } = explain(names);
  const reasons = links.map((link, at) => {
    const { party = "", entry } = parts[at] ?? {};
    const how = `${party} ~ ${entry} (${link.similarity.toFixed(2)})`;
    return reason(
      party === entry ? `${party} is listed` : how,
      matchedWeight(link, config) / possible,
    );
  });
  const lost = matched / possible - score;
  const costs = sides.party.cost + sides.entry.cost;
  const leftOver = (of: string, tokens: readonly string[], cost: number): Reason[] =>
    tokens.length === 0
      ? []
      : [reason(`left over of ${of}: ${tokens.join(" ")}`, (-lost * cost) / costs)];
  return [
    ...reasons,
    ...leftOver("the party", partyLeftOver, sides.party.cost),
    ...leftOver("the entry", entryLeftOver, sides.entry.cost),
  ];
}

const reason = (text: string, effect: number): Reason => ({
  kind: "name",
  text: `name: ${text}`,
  effect: roundScore(effect),
});

function texts(tokens: readonly Token[], bits: number): string[] {
  return tokens.filter((_, at) => (bits & (1 << at)) !== 0).map(({ text }) => text);
}
