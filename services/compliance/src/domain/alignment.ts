import { roundScore } from "./evidence.ts";
import type { MatcherConfig } from "./matcher-config.ts";
import { letterSimilarity, type Word } from "./word-similarity.ts";

/** How alike two words are; a search keeps what it has computed. */
export type Similarity = (party: Word, entry: Word) => number;

/** Words taken for one another: which of each side, as bits by place. */
type Link = {
  readonly party: number;
  readonly entry: number;
  readonly similarity: number;
  readonly weight: number;
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

/**
 * Takes each word of one name for at most one of the other, best pairs first, in any order of
 * words; two neighbours may stand for one word. What is left over on either side costs by its
 * weight, and costs more where both sides have something left: a missing middle name is common,
 * another name in its place is another person.
 */
export function align(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: Similarity,
  config: MatcherConfig,
): Alignment {
  const links: Link[] = [];
  let partyLeft = allBits(party);
  let entryLeft = allBits(entry);
  let matched = 0;
  let possible = 0;
  for (const link of possibleLinks(party, entry, similarity, config)) {
    if ((link.party & partyLeft) !== link.party || (link.entry & entryLeft) !== link.entry)
      continue;
    partyLeft &= ~link.party;
    entryLeft &= ~link.entry;
    matched += matchedWeight(link, config);
    possible += link.weight;
    links.push(link);
  }
  const ours = leftWeights(party, partyLeft, "weight");
  const theirs = leftWeights(entry, entryLeft, "missed");
  const conflict = (Math.min(ours.apart, theirs.apart) * config.leftOver.conflict) / 2;
  const partyCost = ours.weight * config.leftOver.party + conflict;
  const entryCost = theirs.weight * config.leftOver.entry + conflict;
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

function matchedWeight(link: Link, config: MatcherConfig): number {
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

/** Every pair of words that are alike, the most telling first. */
function possibleLinks(
  party: readonly Word[],
  entry: readonly Word[],
  similarity: Similarity,
  config: MatcherConfig,
): Link[] {
  const links: Link[] = [];
  for (const [i, left] of party.entries()) {
    for (const [j, right] of entry.entries()) {
      const alike = similarity(left, right);
      if (alike === 0) continue;
      const weight = (left.weight + right.weight) / 2;
      links.push({ party: 1 << i, entry: 1 << j, similarity: alike, weight });
    }
  }
  for (const { joined, single, ...link } of joinedLinks(party, entry, config)) {
    links.push({ party: joined, entry: single, ...link });
  }
  for (const { joined, single, ...link } of joinedLinks(entry, party, config)) {
    links.push({ party: single, entry: joined, ...link });
  }
  return links.sort((a, b) => b.similarity * b.weight - a.similarity * a.weight);
}

type JoinedLink = {
  readonly joined: number;
  readonly single: number;
  readonly similarity: number;
  readonly weight: number;
};

/**
 * Two neighbours written as one word on the other side (`Abd Ullah`, `Abdullah`). The last and the
 * first word are neighbours too: a list writes `HAMDAN, Usama` for whom another calls
 * `Usamahamdan`.
 */
function joinedLinks(
  words: readonly Word[],
  others: readonly Word[],
  { spelling }: MatcherConfig,
): JoinedLink[] {
  const links: JoinedLink[] = [];
  if (words.length < 2) return links;
  for (const [at, first] of words.entries()) {
    const next = (at + 1) % words.length;
    const second = words[next];
    if (second === undefined) continue;
    const length = first.text.length + second.text.length;
    for (const [other, single] of others.entries()) {
      if (Math.abs(length - single.text.length) > joinedDifferenceMax) continue;
      const letters = letterSimilarity(first.text + second.text, single.text, joinedMin);
      if (letters === 0) continue;
      const similarity = letters * spelling.joined;
      const weight = (first.weight + second.weight + single.weight) / 2;
      links.push({ joined: (1 << at) | (1 << next), single: 1 << other, similarity, weight });
    }
  }
  return links;
}

/** Joined words allow one edit, as single words do in the vocabulary. */
const joinedDifferenceMax = 1;
const joinedMin = 0.8;

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
