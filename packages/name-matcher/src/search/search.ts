import { type Alignment, align } from "../alignment/alignment.ts";
import { isContained } from "../alignment/contained-name.ts";
import { type Word, wordSimilarity } from "../alignment/word-similarity.ts";
import type { MatcherConfig } from "../config.ts";
import { canonicalSpelling, consonantSkeleton, joinSpellings } from "../name/canonical-spelling.ts";
import { neighbours, partsOfJoined } from "../name/neighbours.ts";
import { type NameReading, nameReadings } from "../name/readings.ts";
import { squashedKey, squashedLink } from "../name/squashed.ts";
import { allKinds, tellingPlaces, type WordKind, wordKinds } from "../name/words.ts";
import { type HowMany, highest, type KeyTable, type Rows } from "./flat-tables.ts";
import { hashShare, hashWord, wholeKey } from "./keys.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The names of entries of one type, laid out to be searched; made by `name-index.ts`. */
export type ListedNames = {
  readonly vocabulary: Vocabulary;
  /** Names by the canonical spellings of their words. */
  readonly postings: Rows;
  /** Names by two neighbours written as one. */
  readonly joined: KeyTable;
  /** Names by all their words; see `wholeKey`. */
  readonly whole: KeyTable;
  /** Names by all their words written as one; see `squashedKeys`. */
  readonly squashed: KeyTable;
  /** The words of each name, by their ids. */
  readonly wordsOf: Rows;
  /** The kinds of these words, as places in `allKinds`. */
  readonly kindsOf: Rows;
  /** Each name's entry, and which of the entry's names it is. */
  readonly entryOf: Int32Array;
  readonly nameAtOf: Int32Array;
  /** What each name's score counts, for a weak alias less than 1. */
  readonly shareOf: Float32Array;
  readonly isPerson: boolean;
  readonly config: MatcherConfig;
  /** Words by id and kind, weighed when first asked for. */
  readonly weighed: Map<number, Word>;
  /** Credit of each name in the search that runs; all zero between two. */
  readonly board: Float32Array;
};

/** An entry's name that a searched name is like, and how both are aligned. */
export type NameMatch = {
  /** Which of the entry's names. */
  readonly nameAt: number;
  /** Of the alignment, less what a weak alias counts less. */
  readonly score: number;
  readonly alignment: Alignment;
  /** All of the listed name stands in the party's; see `isContained`. */
  readonly isContained: boolean;
  readonly party: readonly Word[];
  readonly entry: readonly Word[];
};

/**
 * The best alignment of each entry that shares enough with a name, keyed by the entry's place.
 * Gathers, over postings of the words that are like the party's, the names with the most weight in
 * common, and aligns only those in full.
 */
export function searchNames(name: string, listed: ListedNames): Map<number, NameMatch> {
  const best = new Map<number, NameMatch>();
  for (const reading of nameReadings(name, listed.isPerson)) {
    const party = partyWords(reading.tokens, listed);
    compare(reading, party, candidates(party, listed), listed, best);
  }
  return best;
}

/** The same for names of the very same words alone, which costs next to nothing. */
export function sameNames(name: string, listed: ListedNames): Map<number, NameMatch> {
  const best = new Map<number, NameMatch>();
  for (const reading of nameReadings(name, listed.isPerson)) {
    const party = partyWords(reading.tokens, listed);
    const same = new Set<number>();
    if (party.length > 0) listed.whole.forEach(keyOfAll(party), (at) => same.add(at));
    compare(reading, party, same, listed, best);
  }
  return best;
}

/** Aligns a party's words with names that were found, and keeps the best of each entry. */
function compare(
  { squashed }: NameReading,
  party: readonly Word[],
  found: ReadonlySet<number>,
  listed: ListedNames,
  best: Map<number, NameMatch>,
): void {
  const { wordsOf, kindsOf, entryOf, nameAtOf, shareOf, config, isPerson } = listed;
  const similarity = rememberedSimilarity(config);
  const asOne = new Set<number>();
  const key = squashedKey(squashed);
  if (key !== undefined) listed.squashed.forEach(key, (at) => asOne.add(at));
  for (const at of found.union(asOne)) {
    const [ids, kinds] = [wordsOf.row(at), kindsOf.row(at)];
    const entry: Word[] = [];
    for (let place = 0; place < ids.length; place += 1) {
      entry.push(listedWord(ids[place] ?? 0, kinds[place] ?? 0, listed));
    }
    const whole = asOne.has(at)
      ? squashedLink(squashed, party, entry, config.spelling.joined)
      : undefined;
    const alignment = align(party, entry, similarity, listed, whole);
    const entryAt = entryOf[at] ?? 0;
    const before = best.get(entryAt);
    const aligned = alignment.score * (shareOf[at] ?? 1);
    const mayBeWithin = !isPerson && aligned < config.bands.review;
    const contained = mayBeWithin && isContained(alignment, party, entry);
    const score = contained ? config.bands.review : aligned;
    if (before === undefined || score > before.score) {
      const nameAt = nameAtOf[at] ?? 0;
      best.set(entryAt, { nameAt, score, alignment, isContained: contained, party, entry });
    }
  }
}

function partyWords(tokens: readonly string[], listed: ListedNames): Word[] {
  const kinds = wordKinds(tokens, listed.isPerson);
  return tokens.map((token, at) => {
    const canonical = canonicalSpelling(token);
    const spelling = listed.vocabulary.exact(canonical);
    return weigh(token, kinds[at] ?? "name", canonical, spelling, listed);
  });
}

/** A word's weight: by its kind, else by how rare it is among the listed names. */
function weigh(
  token: string,
  kind: WordKind,
  canonical: string,
  spelling: number | undefined,
  listed: ListedNames,
): Word {
  const { config, isPerson, postings, entryOf } = listed;
  const skeleton = consonantSkeleton(canonical);
  if (kind !== "name" && kind !== "trade") {
    const weight = config.words[kind];
    return { text: token, kind, weight, missed: weight, apart: weight, canonical, skeleton };
  }
  const count = spelling === undefined ? 0 : postings.row(spelling).length;
  const names = Math.max(entryOf.length, config.words.namesMin);
  const rarity = Math.max(0, Math.log(names / (count + 1)) / Math.log(names));
  const apart = config.words.commonest + (1 - config.words.commonest) * rarity;
  const weight = kind === "trade" ? Math.min(apart, config.words.trade) : apart;
  const missed = kind === "name" && !isPerson ? weight * config.words.companyMissed : weight;
  return { text: token, kind, weight, missed, apart, canonical, skeleton };
}

function listedWord(id: number, kindAt: number, listed: ListedNames): Word {
  const key = id * allKinds.length + kindAt;
  const known = listed.weighed.get(key);
  if (known !== undefined) return known;
  const { words, spellings, spellingOf } = listed.vocabulary;
  const spelling = spellingOf[id] ?? 0;
  const kind = allKinds[kindAt] ?? "name";
  const word = weigh(words[id] ?? "", kind, spellings[spelling] ?? "", spelling, listed);
  listed.weighed.set(key, word);
  return word;
}

function rememberedSimilarity(config: MatcherConfig): (party: Word, entry: Word) => number {
  const rows = new Map<Word, Map<Word, number>>();
  return (party, entry) => {
    let row = rows.get(party);
    if (row === undefined) {
      row = new Map();
      rows.set(party, row);
    }
    let alike = row.get(entry);
    if (alike === undefined) {
      alike = wordSimilarity(party, entry, config);
      row.set(entry, alike);
    }
    return alike;
  };
}

/** What half of a word counts in the search. */
const partShare = 0.4;

/** Names of equal credit are all compared as far as a name of few words leaves time for it. */
function howMany(words: number, { candidatesMax, tiedWordsMax }: MatcherConfig): HowMany {
  return { count: candidatesMax, most: Math.floor(tiedWordsMax / Math.max(1, words)) };
}

/**
 * The names that share the most weight with the party's words, at most `candidatesMax`, and those
 * of the very same words: of a name of common words alone there are more than so many.
 */
function candidates(party: readonly Word[], listed: ListedNames): Set<number> {
  const { board, joined, postings, vocabulary, whole, wordsOf } = listed;
  const touched: number[] = [];
  const credit = (name: number, weight: number): void => {
    const before = board[name] ?? 0;
    if (before === 0) touched.push(name);
    board[name] = before + weight;
  };
  const creditWord = (id: number, weight: number): void => {
    for (const name of postings.row(vocabulary.spellingOf[id] ?? 0)) {
      if (wordsOf.row(name).includes(id)) credit(name, weight);
    }
  };
  const creditLike = (text: string, canonical: string, weight: number): void => {
    const { spellings, words } = vocabulary.similar(text, canonical);
    for (const [spelling, alike] of spellings) {
      if (alike === 0) continue;
      for (const name of postings.row(spelling)) credit(name, weight * alike);
    }
    for (const [id, alike] of words) if (alike > 0) creditWord(id, weight * alike);
  };
  const wordsIn = (name: number): number => wordsOf.row(name).length;
  const tokens = party.map(({ text }) => text);
  for (const at of tellingPlaces(tokens, listed.isPerson)) {
    const word = party[at];
    if (word === undefined) continue;
    creditLike(word.text, word.canonical, word.weight);
    for (const joint of new Set([word.text, word.canonical])) {
      joined.forEach(hashWord(joint), (name) => credit(name, word.weight));
    }
  }
  for (const word of party) {
    if (vocabulary.exact(word.canonical) !== undefined) continue;
    for (const part of partsOfJoined(word.text)) {
      const id = vocabulary.exactWord(part);
      if (id !== undefined) creditWord(id, word.weight * partShare);
    }
  }
  for (const [at, other] of neighbours(party)) {
    const [first, second] = [party[at], party[other]];
    if (first === undefined || second === undefined) continue;
    const canonical = joinSpellings(first.canonical, second.canonical);
    creditLike(first.text + second.text, canonical, Math.max(first.weight, second.weight));
  }
  const most = new Set(highest(touched, board, howMany(party.length, listed.config), wordsIn));
  for (const name of touched) board[name] = 0;
  if (party.length > 0) whole.forEach(keyOfAll(party), (name) => most.add(name));
  return most;
}

function keyOfAll(party: readonly Word[]): number {
  const shares = party.map(({ canonical, skeleton }) => hashShare(canonical, skeleton));
  return wholeKey(
    party.map(({ kind }) => kind),
    shares,
  );
}
