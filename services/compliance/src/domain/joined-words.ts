import { joinSpellings } from "./canonical-spelling.ts";
import { neighbours } from "./name-neighbours.ts";
import { spellingSimilarity } from "./spelling-distance.ts";
import type { Word } from "./word-similarity.ts";

/** Two neighbours of one name taken for one word of the other, as bits by place. */
export type JoinedLink = {
  readonly joined: number;
  readonly single: number;
  readonly similarity: number;
  readonly weight: number;
};

/**
 * Two neighbours written as one word on the other side (`Abd Ullah`, `Abdullah`), at a similarity
 * of `joinedShare` where the letters are the same. The last and the first word are neighbours too:
 * a list writes `HAMDAN, Usama` for whom another calls `Usamahamdan`.
 */
export function joinedLinks(
  words: readonly Word[],
  others: readonly Word[],
  joinedShare: number,
): JoinedLink[] {
  const links: JoinedLink[] = [];
  for (const [at, next] of neighbours(words.map(({ text }) => text))) {
    const [first, second] = [words[at], words[next]];
    if (first === undefined || second === undefined) continue;
    const text = first.text + second.text;
    const canonical = joinSpellings(first.canonical, second.canonical);
    const isShort = Math.min(first.text.length, second.text.length) < halfLengthMin;
    for (const [other, single] of others.entries()) {
      const letters = Math.max(
        lettersAlike(text, single.text, isShort),
        lettersAlike(canonical, single.canonical, isShort),
      );
      if (letters === 0) continue;
      const weight = joinedWeight(first, second, single);
      const similarity = letters * joinedShare;
      links.push({ joined: (1 << at) | (1 << next), single: 1 << other, similarity, weight });
    }
  }
  return links;
}

/** Joined words allow one edit, as single words do in the vocabulary. */
const joinedDifferenceMax = 1;
const joinedMin = 0.85;
/** The letters of a shorter half must all be there: else it was not joined but left out. */
const halfLengthMin = 3;

function lettersAlike(joined: string, single: string, isShort: boolean): number {
  const lost = joined.length - single.length;
  if (Math.abs(lost) > joinedDifferenceMax || (isShort && lost > 0)) return 0;
  return spellingSimilarity(joined, single, joinedMin);
}

/** Light words written as one, or one written as two, stay as light. */
function joinedWeight(first: Word, second: Word, single: Word): number {
  const both = first.weight + second.weight;
  const isName = [first, second, single].every(({ kind }) => kind === "name");
  return isName ? (both + single.weight) / 2 : Math.min(both, single.weight);
}
