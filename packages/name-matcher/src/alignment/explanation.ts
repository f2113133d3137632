import type { MatcherConfig } from "../config.ts";
import { roundScore } from "../evidence.ts";
import { type Alignment, matchedWeight } from "./alignment.ts";
import type { Word } from "./word-similarity.ts";

/**
 * A part of a name score, as it is told to a person; the effects of all parts add up to the score.
 */
export type NamePart = { readonly text: string; readonly effect: number };

/** Words of the party's name that were taken for words of the listed one. */
export type AlignedPart = {
  readonly party: string;
  readonly entry: string;
  /** In [0, 1]; 1 is the same word. */
  readonly similarity: number;
  /** Against 1 for the rarest word. */
  readonly weight: number;
};

/** How one name was laid on another, in the words of both. */
export type Explanation = {
  readonly parts: readonly AlignedPart[];
  readonly partyLeftOver: readonly string[];
  readonly entryLeftOver: readonly string[];
};

/** An alignment as an officer reads it. */
export function explain(
  { links, party: ours, entry: theirs }: Alignment,
  party: readonly Word[],
  entry: readonly Word[],
): Explanation {
  return {
    parts: links.map((link) => ({
      party: texts(party, link.party),
      entry: texts(entry, link.entry),
      similarity: roundScore(link.similarity),
      weight: roundScore(link.weight),
    })),
    partyLeftOver: leftOver(party, ours.bits),
    entryLeftOver: leftOver(entry, theirs.bits),
  };
}

function leftOver(words: readonly Word[], bits: number): string[] {
  return words.filter((_, at) => (bits & (1 << at)) !== 0).map((word) => word.text);
}

/** What the score of an alignment is made of, in words. */
export function nameParts(
  alignment: Alignment,
  party: readonly Word[],
  entry: readonly Word[],
  config: MatcherConfig,
): NamePart[] {
  const { links, matched, possible, score } = alignment;
  if (links.length === 0) return [];
  const parts = links.map((link) => ({
    text: pairText(texts(party, link.party), texts(entry, link.entry), link.similarity),
    effect: roundScore(matchedWeight(link, config) / possible),
  }));
  const lost = matched / possible - score;
  const costs = alignment.party.cost + alignment.entry.cost;
  const sides = [
    { words: texts(party, alignment.party.bits), cost: alignment.party.cost, of: "the party" },
    { words: texts(entry, alignment.entry.bits), cost: alignment.entry.cost, of: "the entry" },
  ];
  for (const { words, cost, of } of sides) {
    if (words === "") continue;
    parts.push({
      text: `left over of ${of}: ${words}`,
      effect: roundScore((-lost * cost) / costs),
    });
  }
  return parts;
}

function pairText(party: string, entry: string, similarity: number): string {
  return party === entry ? `${party} is listed` : `${party} ~ ${entry} (${similarity.toFixed(2)})`;
}

function texts(words: readonly Word[], bits: number): string {
  return leftOver(words, bits).join(" ");
}
