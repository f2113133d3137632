import { align, concatenatedLink, isContained } from "../alignment/alignment.ts";
import { type Token, tokenSimilarity } from "../alignment/token-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import type { AlignedNames } from "../explanation.ts";
import {
  canonicalSpelling,
  concatSpellings,
  consonantSkeleton,
} from "../tokens/canonical-spelling.ts";
import { type NameVariant, nameVariants } from "../tokens/name-variants.ts";
import {
  allTokenKinds,
  distinctivePositions,
  type TokenKind,
  tokenKinds,
} from "../tokens/token-kinds.ts";
import { adjacentPairs, compoundParts } from "../tokens/tokenizer.ts";
import { type KeyTable, type Rows, topPositions } from "./flat-tables.ts";
import { consonantRingKey, hashSkeleton, hashToken, tokenSetKey } from "./hash-keys.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The names of entries of one type, laid out for search; names are numbers from 0. */
export type ListedNames = {
  readonly vocabulary: Vocabulary;
  /** Names by the ids of the canonical spellings of their tokens. */
  readonly postings: Rows;
  /** Names by two adjacent tokens as one. */
  readonly compounds: KeyTable;
  /** Names by all their tokens; see `tokenSetKey`. */
  readonly tokenSets: KeyTable;
  /** Names by all their tokens as one; see `concatenationKeys`. */
  readonly concatenated: KeyTable;
  /** The ids of each name's tokens, and their kinds as positions in `allTokenKinds`. */
  readonly tokensOf: Rows;
  readonly kindsOf: Rows;
  /** The position of each name's entry, and of the name in it. */
  readonly entryOf: Int32Array;
  readonly nameAtOf: Int32Array;
  /** The factor of each name's score, below 1 for a weak alias. */
  readonly weightOf: Float32Array;
  readonly isPerson: boolean;
  readonly config: MatcherConfig;
  /** Tokens by id and kind, weighed on first use. */
  readonly weighed: Map<number, Token>;
  /** Scores of the candidates of the search that runs; all 0 between searches. */
  readonly scores: Float32Array;
};

/** An entry's name that is like a searched name. */
export type NameMatch = AlignedNames & {
  /** The position of the name in the entry. */
  readonly nameAt: number;
  /** Of the alignment, times the factor of a weak alias. */
  readonly score: number;
  /** All of the listed name stands in the party's; see `isContained`. */
  readonly isContained: boolean;
};

/**
 * The best alignment of each entry with a name, by the entry's position. Candidates are the names
 * with the most weight in common, or, if `isExact`, those of the very same tokens; only they are
 * aligned.
 */
export function searchNames(
  name: string,
  listed: ListedNames,
  isExact: boolean,
): Map<number, NameMatch> {
  const best = new Map<number, NameMatch>();
  for (const variant of nameVariants(name, listed.isPerson).variants) {
    const party = partyTokens(variant.tokens, listed);
    const found = new Set(isExact ? [] : candidates(party, listed));
    const hashes = party.map(({ canonical, skeleton }) => hashSkeleton(canonical, skeleton));
    const kinds = party.map(({ kind }) => kind);
    const exactKey = tokenSetKey(kinds, hashes);
    if (party.length > 0) listed.tokenSets.forEach(exactKey, (at) => found.add(at));
    compare(variant, party, found, listed, best);
  }
  return best;
}

/** Aligns a party's tokens with the names found, and keeps the best match of each entry. */
function compare(
  { concatenated }: NameVariant,
  party: readonly Token[],
  found: Set<number>,
  listed: ListedNames,
  best: Map<number, NameMatch>,
): void {
  const { tokensOf, kindsOf, entryOf, nameAtOf, weightOf, config, isPerson } = listed;
  const similarity = cachedSimilarity(config);
  const asOne = new Set<number>();
  const key = consonantRingKey([concatenated]);
  if (key !== undefined) listed.concatenated.forEach(key, (at) => asOne.add(at));
  for (const at of found.union(asOne)) {
    const [ids, kinds] = [tokensOf.row(at), kindsOf.row(at)];
    const entry: Token[] = [];
    for (let position = 0; position < ids.length; position += 1) {
      entry.push(listedToken(ids[position] ?? 0, kinds[position] ?? 0, listed));
    }
    const whole = asOne.has(at)
      ? concatenatedLink(concatenated, party, entry, config.spelling.compound)
      : undefined;
    const alignment = align(party, entry, similarity, config, whole);
    const entryAt = entryOf[at] ?? 0;
    const before = best.get(entryAt);
    const aligned = alignment.score * (weightOf[at] ?? 1);
    const mayBeContained = !isPerson && aligned < config.bands.review;
    const contained = mayBeContained && isContained(alignment, party, entry);
    const score = contained ? config.bands.review : aligned;
    if (before === undefined || score > before.score) {
      const nameAt = nameAtOf[at] ?? 0;
      best.set(entryAt, { nameAt, score, alignment, isContained: contained, party, entry });
    }
  }
}

function partyTokens(tokens: readonly string[], listed: ListedNames): Token[] {
  const kinds = tokenKinds(tokens, listed.isPerson);
  return tokens.map((token, at) => {
    const canonical = canonicalSpelling(token);
    const spelling = listed.vocabulary.spellingId(canonical);
    return weigh(token, kinds[at] ?? "name", canonical, spelling, listed);
  });
}

/** A token's weight: by its kind, else by how rare it is among the listed names. */
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
    const weights = { weight, missingWeight: weight, conflictWeight: weight };
    return { text, kind, ...weights, canonical, skeleton };
  }
  const count = spelling === undefined ? 0 : postings.row(spelling).length;
  const names = Math.max(entryOf.length, tokens.namesMin);
  const rarity = Math.max(0, Math.log(names / (count + 1)) / Math.log(names));
  const conflictWeight = tokens.commonest + (1 - tokens.commonest) * rarity;
  const weight = kind === "trade" ? Math.min(conflictWeight, tokens.trade) : conflictWeight;
  const missingWeight = kind === "name" && !isPerson ? weight * tokens.companyMissing : weight;
  return { text, kind, weight, missingWeight, conflictWeight, canonical, skeleton };
}

function listedToken(id: number, kindAt: number, listed: ListedNames): Token {
  const key = id * allTokenKinds.length + kindAt;
  const known = listed.weighed.get(key);
  if (known !== undefined) return known;
  const { tokens, spellings, spellingOf } = listed.vocabulary;
  const spelling = spellingOf[id] ?? 0;
  const kind = allTokenKinds[kindAt] ?? "name";
  const token = weigh(tokens[id] ?? "", kind, spellings[spelling] ?? "", spelling, listed);
  listed.weighed.set(key, token);
  return token;
}

function cachedSimilarity(config: MatcherConfig): (party: Token, entry: Token) => number {
  const rows = new Map<Token, Map<Token, number>>();
  return (party, entry) => {
    let row = rows.get(party);
    if (row === undefined) {
      row = new Map();
      rows.set(party, row);
    }
    let alike = row.get(entry);
    if (alike === undefined) {
      alike = tokenSimilarity(party, entry, config);
      row.set(entry, alike);
    }
    return alike;
  };
}

/** The weight of half of a compound in the search. */
const partWeight = 0.4;

/**
 * The names that share the most weight with the party's tokens: `candidatesMax`, and of those tied
 * for the last as many as a name of few tokens leaves time for.
 */
function candidates(party: readonly Token[], listed: ListedNames): number[] {
  const { scores, compounds, postings, vocabulary, tokensOf, config } = listed;
  const touched: number[] = [];
  const score = (name: number, weight: number): void => {
    const before = scores[name] ?? 0;
    if (before === 0) touched.push(name);
    scores[name] = before + weight;
  };
  const scoreToken = (id: number, weight: number): void => {
    for (const name of postings.row(vocabulary.spellingOf[id] ?? 0)) {
      if (tokensOf.row(name).includes(id)) score(name, weight);
    }
  };
  const scoreSimilar = (text: string, canonical: string, weight: number): void => {
    const { spellings, tokens } = vocabulary.similar(text, canonical);
    for (const [spelling, alike] of spellings) {
      if (alike === 0) continue;
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
  for (const [at, other] of adjacentPairs(texts, (text) => text)) {
    const [first, second] = [party[at], party[other]];
    if (first === undefined || second === undefined) continue;
    const canonical = concatSpellings(first.canonical, second.canonical);
    scoreSimilar(first.text + second.text, canonical, Math.max(first.weight, second.weight));
  }
  const most = Math.floor(config.tiedTokensMax / Math.max(1, party.length));
  const bounds = { count: config.candidatesMax, most };
  const top = topPositions(touched, scores, bounds, (name) => tokensOf.row(name).length);
  for (const name of touched) scores[name] = 0;
  return top;
}
