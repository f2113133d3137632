import { joinSpellings } from "../name/canonical-spelling.ts";
import { neighbours } from "../name/neighbours.ts";
import { spellingSimilarity } from "./spelling-distance.ts";
import type { Word } from "./word-similarity.ts";

/** Two neighbours of one name taken for one word of the other, as bits by place. */
export type JoinedLink = {
  readonly joined: number;
  readonly single: number;
  readonly similarity: number;
  readonly weight: number;
  /** As `weight`, had none of the words been light: what it explains, not what it says. */
  readonly rank: number;
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
  for (const [at, next] of neighbours(words)) {
    const [first, second] = [words[at], words[next]];
    if (first === undefined || second === undefined) continue;
    for (const [other, single] of others.entries()) {
      const letters = lettersAlike(first, second, single);
      if (letters === 0) continue;
      const weight = joinedWeight(first, second, single);
      const similarity = letters * joinedShare;
      const rank = (first.apart + second.apart + single.apart) / 2;
      links.push({ joined: bitsOf([at, next]), single: 1 << other, similarity, weight, rank });
    }
  }
  return links;
}

/** Two neighbours of each name with the same letters: the space between is in another place. */
export type MovedSpace = {
  readonly party: number;
  readonly entry: number;
  readonly similarity: number;
  readonly weight: number;
  readonly rank: number;
};

/** Pairs of neighbours that differ only in where the space is (`Badr Ashid`, `Bad Rashid`). */
export function movedSpaces(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: number,
): MovedSpace[] {
  const moved: MovedSpace[] = [];
  const theirs = neighbours(entry);
  for (const ours of neighbours(party)) {
    const [first, second] = [party[ours[0]], party[ours[1]]];
    if (first === undefined || second === undefined) continue;
    for (const pair of theirs) {
      const [one, two] = [entry[pair[0]], entry[pair[1]]];
      if (one === undefined || two === undefined || first.text === one.text) continue;
      if (first.text.length + second.text.length !== one.text.length + two.text.length) continue;
      if (first.text + second.text !== one.text + two.text) continue;
      const weight = (first.weight + second.weight + one.weight + two.weight) / 2;
      moved.push({ party: bitsOf(ours), entry: bitsOf(pair), similarity, weight, rank: weight });
    }
  }
  return moved;
}

const bitsOf = ([first, second]: readonly [number, number]): number => (1 << first) | (1 << second);

/** Joined words allow one edit, as single words do in the vocabulary. */
const joinedDifferenceMax = 1;
const joinedMin = 0.85;
/** The letters of a shorter half must all be there: else it was not joined but left out. */
const halfLengthMin = 3;

function lettersAlike(first: Word, second: Word, single: Word): number {
  const isShort = Math.min(first.text.length, second.text.length) < halfLengthMin;
  const lostMax = isShort ? 0 : joinedDifferenceMax;
  const lost = first.text.length + second.text.length - single.text.length;
  let alike = 0;
  if (lost <= lostMax && lost >= -joinedDifferenceMax) {
    alike = spellingSimilarity(first.text + second.text, single.text, joinedMin);
  }
  const longest = first.canonical.length + second.canonical.length - single.canonical.length;
  // One letter less where the halves meet in the same one.
  if (longest > lostMax + 1 || longest < -joinedDifferenceMax) return alike;
  const joined = joinSpellings(first.canonical, second.canonical);
  if (joined.length - single.canonical.length > lostMax) return alike;
  return Math.max(alike, spellingSimilarity(joined, single.canonical, joinedMin));
}

/** Light words written as one, or one written as two, stay as light. */
function joinedWeight(first: Word, second: Word, single: Word): number {
  const both = first.weight + second.weight;
  const isName = [first, second, single].every(({ kind }) => kind === "name");
  return isName ? (both + single.weight) / 2 : Math.min(both, single.weight);
}
