import type { MatcherConfig } from "../config.ts";
import { concatSpellings } from "../tokens/canonical-spelling.ts";
import { concatenations } from "../tokens/token-kinds.ts";
import { adjacentPairs, spellingLengthMax } from "../tokens/tokenizer.ts";
import { editCost, spellingDistance, spellingSimilarity } from "./spelling-distance.ts";
import type { Similarities, Token } from "./token-similarity.ts";

/** A link between tokens of the party's name and similar tokens of the entry's name. */
export type Link = {
  /** The linked tokens of each name, as bit sets of token positions. */
  readonly party: number;
  readonly entry: number;
  /** The similarity of the matched tokens, in [0, 1]. */
  readonly similarity: number;
  readonly weight: number;
  /**
   * Decides between links that share a token: the one with the highest `similarity * priority` is
   * kept.
   */
  readonly priority: number;
};

type Unmatched = { readonly bits: number; readonly cost: number };

/** The alignment of two names. `score` is `matched / (possible + both costs)`, in [0, 1]. */
export type Alignment = {
  readonly score: number;
  readonly links: readonly Link[];
  readonly matched: number;
  readonly possible: number;
  readonly party: Unmatched;
  readonly entry: Unmatched;
};

/**
 * Aligns one name with other names. Each token matches at most one token of the other name, in any
 * order. Two adjacent tokens may match a single token if that raises the score. `concatenated`
 * links the whole name with the whole other name.
 */
export function aligner(
  party: readonly Token[],
  similarities: Similarities,
  config: MatcherConfig,
): (entry: readonly Token[], concatenated?: Link) => Alignment {
  const pairs = pairsOf(party);
  return (entry, concatenated) => {
    const single = singleLinks(party, entry, similarities);
    const initial = firstInitialLink(party, entry, config);
    if (initial !== undefined) single.push(initial);
    const compound = compoundLinks({ tokens: party, pairs }, entry, config.spelling.compound);
    return bestOf(party, entry, { single, compound, concatenated }, config);
  };
}

type Links = {
  readonly single: Link[];
  readonly compound: readonly Link[];
  readonly concatenated: Link | undefined;
};

function bestOf(
  party: readonly Token[],
  entry: readonly Token[],
  { single, compound, concatenated }: Links,
  config: MatcherConfig,
): Alignment {
  let best = alignBy(single, party, entry, config);
  if (compound.length !== 0) {
    const together = alignBy([...single, ...compound], party, entry, config);
    if (together.score > best.score) best = together;
  }
  if (concatenated !== undefined) {
    const asOne = alignBy([concatenated], party, entry, config);
    if (asOne.score > best.score) best = asOne;
  }
  return best;
}

/**
 * Selects links, best first, and computes the score. Each unmatched token costs in proportion to
 * its weight. It costs more if both names have unmatched tokens: a missing middle name is common,
 * but a different name means another person.
 */
function alignBy(
  candidates: Link[],
  party: readonly Token[],
  entry: readonly Token[],
  config: MatcherConfig,
): Alignment {
  const links: Link[] = [];
  let partyLeft = allBits(party);
  let entryLeft = allBits(entry);
  let matched = 0;
  let possible = 0;
  // Skips the call for a single candidate, the most frequent case, because the call is slow.
  if (candidates.length > 1)
    candidates.sort((a, b) => b.similarity * b.priority - a.similarity * a.priority);
  for (const link of candidates) {
    if ((link.party & partyLeft) !== link.party || (link.entry & entryLeft) !== link.entry)
      continue;
    partyLeft &= ~link.party;
    entryLeft &= ~link.entry;
    matched += matchedWeight(link, config);
    possible += link.weight;
    links.push(link);
  }
  const costs = config.unmatched;
  const ours = unmatchedWeights(party, partyLeft, "weight");
  const theirs = unmatchedWeights(entry, entryLeft, "missingWeight");
  const conflict = (Math.min(ours.conflict, theirs.conflict) * costs.conflict) / 2;
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

const allBits = (tokens: readonly Token[]): number => 2 ** tokens.length - 1;

/** Returns the weight that a link adds to the matched weight of its alignment. */
export function matchedWeight(link: Link, config: MatcherConfig): number {
  return link.weight * link.similarity ** config.spelling.sharpness;
}

function unmatchedWeights(
  tokens: readonly Token[],
  bits: number,
  cost: "weight" | "missingWeight",
): { weight: number; conflict: number } {
  let weight = 0;
  let conflict = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined || (bits & (1 << at)) === 0) continue;
    weight += token[cost];
    conflict += token.conflictWeight;
  }
  return { weight, conflict };
}

/** Links every pair of similar tokens. */
function singleLinks(
  party: readonly Token[],
  entry: readonly Token[],
  similarities: Similarities,
): Link[] {
  const links: Link[] = [];
  const alikeOf = entry.map(similarities);
  for (let i = 0; i < party.length; i += 1) {
    for (let j = 0; j < entry.length; j += 1) {
      const alike = alikeOf[j]?.[i] ?? 0;
      if (alike === 0) continue;
      const weight = ((party[i]?.weight ?? 0) + (entry[j]?.weight ?? 0)) / 2;
      links.push({ party: 1 << i, entry: 1 << j, similarity: alike, weight, priority: weight });
    }
  }
  return links;
}

/**
 * Links a company's first word with its initial in the other name (`B. Melli Iran`). Only the first
 * position counts, because elsewhere a single letter in a company's name is a word of its own.
 */
function firstInitialLink(
  party: readonly Token[],
  entry: readonly Token[],
  { spelling, tokens }: MatcherConfig,
): Link | undefined {
  const isFirst = ({ kind }: Token): boolean => kind === "name" || kind === "trade";
  const [ours, theirs] = [party.findIndex(isFirst), entry.findIndex(isFirst)];
  const [one, other] = [party[ours], entry[theirs]];
  if (one === undefined || other === undefined) return undefined;
  const [short, long] = one.text.length === 1 ? [one, other] : [other, one];
  if (short.text.length !== 1 || long.text.length === 1) return undefined;
  if (!long.text.startsWith(short.text)) return undefined;
  const weight = (tokens.initial + long.weight) / 2;
  const similarity = spelling.initial;
  return { party: 1 << ours, entry: 1 << theirs, similarity, weight, priority: weight };
}

/** Two adjacent tokens of one name. `bits` has their positions. */
type Pair = { readonly first: Token; readonly second: Token; readonly bits: number };

const textOf = ({ first, second }: Pair): string => first.text + second.text;
const lengthOf = ({ first, second }: Pair): number => first.text.length + second.text.length;

function pairsOf(tokens: readonly Token[]): Pair[] {
  const pairs: Pair[] = [];
  for (const [at, next] of adjacentPairs(tokens, ({ text }) => text)) {
    const [first, second] = [tokens[at], tokens[next]];
    if (first === undefined || second === undefined) continue;
    const bits = (1 << at) | (1 << next);
    pairs.push({ first, second, bits });
  }
  return pairs;
}

/**
 * Links two adjacent tokens of one name with one similar token of the other (`Abd Ullah`,
 * `Abdullah`). Also links two adjacent tokens with two that differ only in the position of the
 * space (`Badr Ashid`, `Bad Rashid`). The similarity of equal letters is `share`.
 */
function compoundLinks(
  {
    tokens: party,
    pairs: ours,
  }: { readonly tokens: readonly Token[]; readonly pairs: readonly Pair[] },
  entry: readonly Token[],
  share: number,
): Link[] {
  const theirs = pairsOf(entry);
  const links: Link[] = [];
  const addLinks = (pair: Pair, others: readonly Token[], isParty: boolean): void => {
    for (let at = 0; at < others.length; at += 1) {
      const single = others[at];
      const link = single === undefined ? undefined : compoundLink(pair, single, share);
      if (link === undefined) continue;
      const { similarity, weight, priority } = link;
      const other = 1 << at;
      const [ours, theirs] = isParty ? [pair.bits, other] : [other, pair.bits];
      links.push({ party: ours, entry: theirs, similarity, weight, priority });
    }
  };
  for (const pair of ours) addLinks(pair, entry, true);
  for (const pair of theirs) addLinks(pair, party, false);
  for (const pair of ours) {
    for (const other of theirs) {
      if (lengthOf(pair) !== lengthOf(other) || pair.first.text === other.first.text) continue;
      if (textOf(pair) !== textOf(other)) continue;
      const { first, second } = pair;
      const weight = (first.weight + second.weight + other.first.weight + other.second.weight) / 2;
      const [party, entry] = [pair.bits, other.bits];
      links.push({ party, entry, similarity: share, weight, priority: weight });
    }
  }
  return links;
}

/** The maximum edits in a compound, as for a single token in the vocabulary. */
const compoundEditsMax = 1;
const compoundSimilarityMin = 0.85;
const compoundWrittenEditsMax = 2;
/**
 * A half with fewer letters must match completely. Otherwise one edit could remove the whole half.
 */
const halfLengthMin = 3;

function compoundLink(
  pair: Pair,
  single: Token,
  share: number,
): Pick<Link, "similarity" | "weight" | "priority"> | undefined {
  const { first, second } = pair;
  const letters = compoundSimilarity(pair, single);
  if (letters === 0) return undefined;
  const both = first.weight + second.weight;
  // If any of the tokens is a stop word, the link has the smaller weight.
  const isName = first.kind === "name" && second.kind === "name" && single.kind === "name";
  return {
    similarity: letters * share,
    weight: isName ? (both + single.weight) / 2 : Math.min(both, single.weight),
    priority: (first.conflictWeight + second.conflictWeight + single.conflictWeight) / 2,
  };
}

function compoundSimilarity(pair: Pair, single: Token): number {
  const { first, second } = pair;
  const isShort = Math.min(first.text.length, second.text.length) < halfLengthMin;
  const lostMax = isShort ? 0 : compoundEditsMax;
  const lost = lengthOf(pair) - single.text.length;
  const isAsLong = lost <= lostMax && lost >= -compoundEditsMax;
  const longest = first.canonical.length + second.canonical.length - single.canonical.length;
  // The joined spelling is shorter by one letter if the first half ends with the letter that the
  // second half begins with.
  const maySpellAsLong = longest <= lostMax + 1 && longest >= -compoundEditsMax;
  // This check of lengths excludes nearly all pairs. Joining the texts is slower, so it follows
  // later.
  if (!isAsLong && !maySpellAsLong) return 0;
  const text = textOf(pair);
  const alike = isAsLong ? spellingSimilarity(text, single.text, compoundSimilarityMin) : 0;
  if (!maySpellAsLong) return alike;
  const compound = concatSpellings(first.canonical, second.canonical);
  if (compound.length - single.canonical.length > lostMax) return alike;
  // One edit of the canonical spelling corresponds to at most two edits of the written form. With
  // more edits, the word is a different one.
  const limit = compoundWrittenEditsMax * editCost;
  if (compound !== single.canonical && spellingDistance(text, single.text, limit) > limit)
    return alike;
  return Math.max(alike, spellingSimilarity(compound, single.canonical, compoundSimilarityMin));
}

/**
 * The minimum similarity of whole names. `asOne` applies if the party's name is one word or is
 * written in single letters, `spaced` to all other names.
 */
const concatenatedSimilarityMin = { asOne: 0.9, spaced: 0.999 };
/**
 * The maximum single letters that count as initials. A name with more is a word with spaces between
 * its letters.
 */
const initialsMax = 2;

/**
 * Links the whole name of a party with a whole listed name, both without spaces. Returns
 * `undefined` if their letters differ too much.
 */
export function concatenatedLink(
  concatenated: string,
  party: readonly Token[],
  entry: readonly Token[],
  share: number,
): Link | undefined {
  const letters = party.filter(({ text }) => text.length === 1).length;
  const isAsOne = party.length === 1 || letters > initialsMax;
  const least = concatenatedSimilarityMin[isAsOne ? "asOne" : "spaced"];
  let best = 0;
  let tokens: readonly Token[] = [];
  const kinds = entry.map(({ kind }) => kind);
  for (const some of concatenations(entry, kinds)) {
    for (const at of some.keys()) {
      const rotated = [...some.slice(at), ...some.slice(0, at)];
      const whole = rotated.map(({ canonical }) => canonical).reduce(concatSpellings);
      if (whole.length > spellingLengthMax) continue;
      const alike = spellingSimilarity(concatenated, whole, least);
      if (alike > best) [best, tokens] = [alike, rotated];
    }
  }
  if (best === 0) return undefined;
  const weight = tokens.reduce((sum, token) => sum + token.weight, 0);
  const bits = entry.reduce((all, token, at) => all | (tokens.includes(token) ? 1 << at : 0), 0);
  const similarity = best * share;
  return { party: allBits(party), entry: bits, similarity, weight, priority: weight };
}
