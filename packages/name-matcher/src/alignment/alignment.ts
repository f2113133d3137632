import type { MatcherConfig } from "../config.ts";
import { joinSpellings } from "../name/canonical-spelling.ts";
import { neighbours } from "../name/neighbours.ts";
import { spellingSimilarity } from "./spelling-distance.ts";
import type { Word } from "./word-similarity.ts";

/** How alike two words are; a search keeps what it has computed. */
export type Similarity = (party: Word, entry: Word) => number;

/** Words taken for one another: which of each side, as bits by place. */
export type Link = {
  readonly party: number;
  readonly entry: number;
  readonly similarity: number;
  readonly weight: number;
  /** Which of two links that share a word goes first. */
  readonly rank: number;
};

type LeftOver = { readonly bits: number; readonly cost: number };

/** How one name was laid on another. `score` is `matched / (possible + both costs)`, in [0, 1]. */
export type Alignment = {
  readonly score: number;
  readonly links: readonly Link[];
  readonly matched: number;
  readonly possible: number;
  readonly party: LeftOver;
  readonly entry: LeftOver;
};

/** What an alignment is made by. */
export type AlignmentRules = { readonly config: MatcherConfig; readonly isPerson: boolean };

/**
 * Takes each word of one name for at most one of the other, in any order of words; two neighbours
 * may stand for one word where that makes the score better. `whole` takes all of one name for all
 * of the other.
 */
export function align(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: Similarity,
  rules: AlignmentRules,
  whole?: Link,
): Alignment {
  const apart = alignWords(party, entry, similarity, rules);
  if (whole === undefined) return apart;
  const asOne = alignBy([whole], party, entry, rules);
  return asOne.score > apart.score ? asOne : apart;
}

function alignWords(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: Similarity,
  rules: AlignmentRules,
): Alignment {
  const single = singleLinks(party, entry, similarity);
  const joined = bothJoinedLinks(party, entry, rules.config);
  const apart = alignBy(single, party, entry, rules);
  if (joined.length === 0) return apart;
  const together = alignBy([...single, ...joined], party, entry, rules);
  return together.score > apart.score ? together : apart;
}

/**
 * Best pairs first. What is left over on either side costs by its weight, and costs more where
 * both sides have something left: a missing middle name is common, another name in its place is
 * another person.
 */
function alignBy(
  possibleLinks: Link[],
  party: readonly Word[],
  entry: readonly Word[],
  { config, isPerson }: AlignmentRules,
): Alignment {
  const links: Link[] = [];
  let partyLeft = allBits(party);
  let entryLeft = allBits(entry);
  let matched = 0;
  let possible = 0;
  possibleLinks.sort((a, b) => b.similarity * b.rank - a.similarity * a.rank);
  for (const link of possibleLinks) {
    if ((link.party & partyLeft) !== link.party || (link.entry & entryLeft) !== link.entry)
      continue;
    partyLeft &= ~link.party;
    entryLeft &= ~link.entry;
    matched += matchedWeight(link, config);
    possible += link.weight;
    links.push(link);
  }
  const costs = config.leftOver[isPerson ? "person" : "other"];
  const ours = leftWeights(party, partyLeft, "weight");
  const theirs = leftWeights(entry, entryLeft, "missed");
  const conflict = (Math.min(ours.apart, theirs.apart) * costs.conflict) / 2;
  const partyCost = ours.weight * costs.party + conflict;
  const entryCost = theirs.weight * costs.entry + conflict;
  return {
    score: matched === 0 ? 0 : matched / (possible + partyCost + entryCost),
    links,
    matched,
    possible,
    party: { bits: partyLeft, cost: partyCost },
    entry: { bits: entryLeft, cost: entryCost },
  };
}

const allBits = (words: readonly Word[]): number => 2 ** words.length - 1;

/** What a link adds to the score before it is divided by what was possible. */
export function matchedWeight(link: Link, config: MatcherConfig): number {
  return link.weight * link.similarity ** config.spelling.sharpness;
}

function leftWeights(
  words: readonly Word[],
  bits: number,
  cost: "weight" | "missed",
): { weight: number; apart: number } {
  let weight = 0;
  let apart = 0;
  if (bits === 0) return { weight, apart };
  for (const [at, word] of words.entries()) {
    if ((bits & (1 << at)) === 0) continue;
    weight += word[cost];
    apart += word.apart;
  }
  return { weight, apart };
}

/** Every pair of words that are alike. */
function singleLinks(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: Similarity,
): Link[] {
  const links: Link[] = [];
  for (const [i, left] of party.entries()) {
    for (const [j, right] of entry.entries()) {
      const alike = similarity(left, right);
      if (alike === 0) continue;
      const weight = (left.weight + right.weight) / 2;
      links.push({ party: 1 << i, entry: 1 << j, similarity: alike, weight, rank: weight });
    }
  }
  return links;
}

/** Two neighbours of one side that are like one word, or like two others, of the other. */
function bothJoinedLinks(
  party: readonly Word[],
  entry: readonly Word[],
  { spelling }: MatcherConfig,
): Link[] {
  const ours = joinedLinks(party, entry, spelling.joined);
  const theirs = joinedLinks(entry, party, spelling.joined);
  return [
    ...ours.map(({ joined, single, ...link }) => ({ party: joined, entry: single, ...link })),
    ...theirs.map(({ joined, single, ...link }) => ({ party: single, entry: joined, ...link })),
    ...movedSpaces(party, entry, spelling.joined),
  ];
}

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
