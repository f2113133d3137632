import { aligner, concatenatedLink } from "../alignment/alignment.ts";
import { oncePerToken, type Token, tokenSimilarity } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import type { AlignedNames } from "../explanation.ts";
import { canonicalSpelling, consonantSkeleton } from "../tokens/canonical-spelling.ts";
import { joinedWords } from "../tokens/joined-words.ts";
import { type NameVariant, nameVariants } from "../tokens/name-variants.ts";
import {
  allTokenKinds,
  distinctivePositions,
  type TokenKind,
  tokenKinds,
} from "../tokens/token-kinds.ts";
import { compoundParts } from "../tokens/tokenizer.ts";
import { type Containment, containmentFilter, containmentOf } from "./containment.ts";
import { type KeyTable, type Rows, topPositions } from "./flat-tables.ts";
import { consonantRingKey, hashSkeleton, hashToken, tokenSetKey } from "./hash-keys.ts";
import { type InitialsMatch, initialsOf, mayHaveInitials } from "./initials.ts";
import type { Vocabulary } from "./vocabulary.ts";

/**
 * The names of entries of one type, in the tables of the search. A name is identified by a number
 * from 0 on.
 */
export type ListedNames = {
  readonly vocabulary: Vocabulary;
  /** Names by the ids of their tokens' canonical spellings. */
  readonly postings: Rows;
  /** Names by each pair of adjacent tokens, joined to one word. */
  readonly compounds: KeyTable;
  /** Names by the set of their tokens; see `tokenSetKey`. */
  readonly tokenSets: KeyTable;
  /** Names by all their tokens joined; see `concatenationKeys`. */
  readonly concatenated: KeyTable;
  /**
   * The token ids of each name. `kindsOf` has the tokens' kinds as positions in `allTokenKinds`.
   */
  readonly tokensOf: Rows;
  readonly kindsOf: Rows;
  /** The position of each name's entry. `nameAtOf` has the position of the name in that entry. */
  readonly entryOf: Int32Array;
  readonly nameAtOf: Int32Array;
  /** The number of entries that have each canonical spelling, by its id; `entries` has all. */
  readonly entriesWith: Int32Array;
  readonly entries: number;
  /** The factor of each name's score, below 1 for a weak alias. */
  readonly weightOf: Float64Array;
  /** Names by the canonical spelling of their rarest word; see `containment.ts`. */
  readonly byRarest: Rows;
  /** 1 for each name in `byRarest`, else 0. */
  readonly isByRarest: Uint8Array;
  readonly isPerson: boolean;
  readonly config: MatcherConfig;
  /** Tokens by id and kind, weighed on first use. */
  readonly weighed: (Token | undefined)[];
  /** Scores of the current search's candidates; all 0 between searches. */
  readonly scores: Float32Array;
};

/** An entry's name that resembles the searched name. */
export type NameMatch = AlignedNames & {
  /** The position of the name in the entry. */
  readonly nameAt: number;
  /** The alignment's score, times the factor of a weak alias. */
  readonly score: number;
  /** Present if the party's name contains the listed one. */
  readonly contained: Containment | undefined;
  /** Present if the party's name is the listed one with initials. */
  readonly initials: InitialsMatch | undefined;
};

/** The names to compare by alignment, and the names that the party's name may contain. */
type Found = { readonly likely: Iterable<number>; readonly within: ReadonlySet<number> };

/**
 * Returns the best match of each entry with a name. The key is the entry's position. Only
 * candidates are aligned: the names that share the most weight, and those that the party's name may
 * contain.
 */
export function searchNames(name: string, listed: ListedNames): Map<number, NameMatch> {
  const best = new Map<number, NameMatch>();
  for (const variant of nameVariants(name, listed.isPerson).variants) {
    const party = partyTokens(variant.tokens, listed);
    const near = new Set<number>();
    const likely = new Set(candidates(party, listed, near));
    forEachExact(party, listed, (at) => likely.add(at));
    compare(variant, party, { likely, within: mayBeWithin(party, near, listed) }, listed, best);
  }
  return best;
}

/**
 * Searches for a party of another type. It finds only names with exactly the same tokens, and names
 * that the party's name contains.
 */
export function searchOtherType(name: string, listed: ListedNames): Map<number, NameMatch> {
  const best = new Map<number, NameMatch>();
  for (const variant of nameVariants(name, listed.isPerson).variants) {
    const party = partyTokens(variant.tokens, listed);
    const likely = new Set<number>();
    forEachExact(party, listed, (at) => likely.add(at));
    const near = new Set<number>();
    for (const { canonical } of [...party, ...joinedWords(party)]) {
      for (const spelling of listed.vocabulary.near(canonical)) near.add(spelling);
    }
    compare(variant, party, { likely, within: mayBeWithin(party, near, listed) }, listed, best);
  }
  return best;
}

function forEachExact(
  party: readonly Token[],
  listed: ListedNames,
  visit: (at: number) => void,
): void {
  if (party.length === 0) return;
  const hashes = party.map(({ canonical, skeleton }) => hashSkeleton(canonical, skeleton));
  const kinds = party.map(({ kind }) => kind);
  listed.tokenSets.forEach(tokenSetKey(kinds, hashes), visit);
}

/**
 * Returns listed names that a party's name may contain. Either their rarest word has a canonical
 * spelling near one of the party's words, or the party joins or splits two of their words.
 */
function mayBeWithin(
  party: readonly Token[],
  near: Iterable<number>,
  { byRarest, isByRarest, compounds, config }: ListedNames,
): Set<number> {
  const names = new Set<number>();
  for (const spelling of near) for (const at of byRarest.row(spelling)) names.add(at);
  for (const { text, canonical } of [...party, ...joinedWords(party)]) {
    if (text.length < config.containment.joinedLengthMin) continue;
    for (const whole of new Set([text, canonical])) {
      compounds.forEach(hashToken(whole), (at) => {
        if (isByRarest[at] === 1) names.add(at);
      });
    }
  }
  return names;
}

/** Aligns a party's tokens with the names found, and keeps the best match of each entry. */
function compare(
  { concatenated }: NameVariant,
  party: readonly Token[],
  { likely, within }: Found,
  listed: ListedNames,
  best: Map<number, NameMatch>,
): void {
  const { tokensOf, kindsOf, entryOf, nameAtOf, weightOf, config } = listed;
  const similarities = oncePerToken((word) =>
    party.map((token) => tokenSimilarity(token, word, config)),
  );
  const asOne = new Set<number>();
  const key = consonantRingKey([concatenated]);
  if (key !== undefined) listed.concatenated.forEach(key, (at) => asOne.add(at));
  const aligned = new Set(likely).union(asOne);
  const alignWith = aligner(party, similarities, config);
  const mayContain = containmentFilter(party, similarities, config);
  const hasInitials = listed.isPerson && mayHaveInitials(party);
  const rarityOf = (word: Token): number => rarityByEntries(word, listed);
  for (const at of aligned.union(within)) {
    const entry: Token[] = [];
    for (let position = 0; position < tokensOf.lengthOf(at); position += 1) {
      entry.push(listedToken(tokensOf.at(at, position), kindsOf.at(at, position), listed));
    }
    if (!aligned.has(at) && !mayContain(entry)) continue;
    const whole = asOne.has(at)
      ? concatenatedLink(concatenated, party, entry, config.spelling.compound)
      : undefined;
    const alignment = alignWith(entry, whole);
    const contained = within.has(at) ? containmentOf(alignment, party, entry, config) : undefined;
    const weight = weightOf[at] ?? 1;
    const mayBeInitials = hasInitials && weight >= 1;
    const initials = mayBeInitials
      ? initialsOf(party, entry, { similarities, rarityOf, config })
      : undefined;
    const nameAt = nameAtOf[at] ?? 0;
    const score = alignment.score * weight;
    const entryAt = entryOf[at] ?? 0;
    const match = { nameAt, score, alignment, contained, initials, party, entry };
    best.set(entryAt, better(best.get(entryAt), match));
  }
}

/**
 * Returns the better of two matches of one entry. If a rule applies to either match, it applies to
 * the result.
 */
function better(before: NameMatch | undefined, match: NameMatch): NameMatch {
  if (before === undefined) return match;
  const best = match.score > before.score ? match : before;
  const contained = before.contained ?? match.contained;
  const initials = before.initials ?? match.initials;
  if (best.contained === contained && best.initials === initials) return best;
  return { ...best, contained, initials };
}

/**
 * Returns the rarity of a word by the entries that have it, in [0, 1]. Unlike `Token.rarity`, it is
 * not lower for a person with many aliases.
 */
function rarityByEntries({ canonical }: Token, listed: ListedNames): number {
  const spelling = listed.vocabulary.spellingId(canonical);
  const count = spelling === undefined ? 0 : (listed.entriesWith[spelling] ?? 0);
  return rarityOfCount(count, listed.entries, listed.config);
}

function partyTokens(tokens: readonly string[], listed: ListedNames): Token[] {
  const kinds = tokenKinds(tokens, listed.isPerson);
  return tokens.map((token, at) => {
    const canonical = canonicalSpelling(token);
    const spelling = listed.vocabulary.spellingId(canonical);
    return weigh(token, kinds[at] ?? "name", canonical, spelling, listed);
  });
}

/** Weighs a token by its kind, or by its rarity among the listed names. */
function weigh(
  text: string,
  kind: TokenKind,
  canonical: string,
  spelling: number | undefined,
  { config, isPerson, postings, entryOf }: ListedNames,
): Token {
  const skeleton = consonantSkeleton(canonical);
  const { tokens } = config;
  if (kind !== "name" && kind !== "trade") {
    const weight = tokens[kind];
    const weights = { weight, missingWeight: weight, conflictWeight: weight, rarity: 0, count: 0 };
    return { text, kind, ...weights, canonical, skeleton };
  }
  const count = spelling === undefined ? 0 : postings.lengthOf(spelling);
  const rarity = count === 0 ? tokens.unknownRarity : rarityOfCount(count, entryOf.length, config);
  const conflictWeight = tokens.commonest + (1 - tokens.commonest) * rarity;
  const weight = kind === "trade" ? Math.min(conflictWeight, tokens.trade) : conflictWeight;
  const missingWeight = kind === "name" && !isPerson ? weight * tokens.companyMissing : weight;
  return { text, kind, weight, missingWeight, conflictWeight, rarity, count, canonical, skeleton };
}

/** Returns the rarity of a word that `count` of `names` or entries have, in [0, 1]. */
export function rarityOfCount(count: number, names: number, { tokens }: MatcherConfig): number {
  const all = Math.max(names, tokens.namesMin);
  return Math.max(0, Math.log(all / (count + 1)) / Math.log(all));
}

function listedToken(id: number, kindAt: number, listed: ListedNames): Token {
  const key = id * allTokenKinds.length + kindAt;
  const known = listed.weighed[key];
  if (known !== undefined) return known;
  const { tokens, spellings, spellingOf } = listed.vocabulary;
  const spelling = spellingOf[id] ?? 0;
  const kind = allTokenKinds[kindAt] ?? "name";
  const token = weigh(tokens[id] ?? "", kind, spellings[spelling] ?? "", spelling, listed);
  listed.weighed[key] = token;
  return token;
}

/** The factor for half of a compound in the search. */
const partWeight = 0.4;

/** Minimum similarity by canonical letters alone; `containmentOf` compares whole words. */
const nearMin = 0.8;

/**
 * Returns the names that share the most weight with the party's tokens: `candidatesMax` names, or
 * more if the last ones have equal scores and the party has few tokens. Adds the canonical
 * spellings near to a token to `near`.
 */
function candidates(party: readonly Token[], listed: ListedNames, near: Set<number>): number[] {
  const { scores, compounds, postings, vocabulary, tokensOf, config } = listed;
  const touched: number[] = [];
  const score = (name: number, weight: number): void => {
    const before = scores[name] ?? 0;
    if (before === 0) touched.push(name);
    scores[name] = before + weight;
  };
  const scoreToken = (id: number, weight: number): void => {
    for (const name of postings.row(vocabulary.spellingOf[id] ?? 0)) {
      if (tokensOf.has(name, id)) score(name, weight);
    }
  };
  const scoreSimilar = (text: string, canonical: string, weight: number): void => {
    const { spellings, tokens } = vocabulary.similar(text, canonical);
    for (const [spelling, alike] of spellings) {
      if (alike === 0) continue;
      if (alike >= nearMin) near.add(spelling);
      for (const name of postings.row(spelling)) score(name, weight * alike);
    }
    for (const [id, alike] of tokens) if (alike > 0) scoreToken(id, weight * alike);
  };
  const texts = party.map(({ text }) => text);
  for (const at of distinctivePositions(texts, listed.isPerson)) {
    const token = party[at];
    if (token === undefined) continue;
    scoreSimilar(token.text, token.canonical, token.weight);
    for (const compound of new Set([token.text, token.canonical])) {
      compounds.forEach(hashToken(compound), (name) => score(name, token.weight));
    }
  }
  for (const token of party) {
    if (vocabulary.spellingId(token.canonical) !== undefined) continue;
    for (const part of compoundParts(token.text)) {
      const id = vocabulary.tokenId(part);
      if (id !== undefined) scoreToken(id, token.weight * partWeight);
    }
  }
  for (const { first, second, text, canonical } of joinedWords(party)) {
    const [one, two] = [party[first]?.weight ?? 0, party[second]?.weight ?? 0];
    scoreSimilar(text, canonical, Math.max(one, two));
  }
  const most = Math.floor(config.tiedTokensMax / Math.max(1, party.length));
  const bounds = { count: config.candidatesMax, most };
  const top = topPositions(touched, scores, bounds, tokensOf.lengthOf);
  for (const name of touched) scores[name] = 0;
  return top;
}
