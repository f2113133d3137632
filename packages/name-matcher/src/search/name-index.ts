import type { MatcherConfig } from "../config.ts";
import type { NamedEntry } from "../entry.ts";
import { consonantSkeleton } from "../name/canonical-spelling.ts";
import { mayBeOne } from "../name/neighbours.ts";
import { listedReadings } from "../name/readings.ts";
import { squashedKeys } from "../name/squashed.ts";
import { allKinds, personKinds, type WordKind, wordKind } from "../name/words.ts";
import { groupRows, keyTable, numberList } from "./flat-tables.ts";
import { hashJoinedSpellings, hashShare, hashWord, wholeKey } from "./keys.ts";
import { type NameMatch, sameNames, searchNames } from "./search.ts";
import { type VocabularyBuilder, vocabularyBuilder } from "./vocabulary.ts";

/** The names of all entries of one type, found by their words. */
export type NameIndex = {
  search(name: string): Map<number, NameMatch>;
  /** Entries with a name of the very same words, in any order. */
  same(name: string): Map<number, NameMatch>;
};

/** Takes the names of entries one by one. */
export type NameIndexBuilder = {
  add(entry: NamedEntry, entryAt: number): void;
  finish(): NameIndex;
};

/** Collects the names of entries of one type. */
export function nameIndexBuilder(isPerson: boolean, config: MatcherConfig): NameIndexBuilder {
  const vocabulary = vocabularyBuilder();
  const [postedSpellings, postedNames] = [numberList(), numberList()];
  const [words, kindsOfWords, namesOfWords] = [numberList(), numberList(), numberList()];
  const [joined, whole, squashed] = [keyedNames(), keyedNames(), keyedNames()];
  const [entryOf, nameAtOf] = [numberList(), numberList()];
  const shareOf: number[] = [];
  const spell = nameSpeller(vocabulary, isPerson);
  let names = 0;

  const addName = (name: SpeltName, at: number): void => {
    const { spellings } = name;
    for (const word of name.words) {
      words.push(word);
      namesOfWords.push(at);
    }
    for (const kind of name.kinds) kindsOfWords.push(allKinds.indexOf(kind));
    for (let place = 0; place < spellings.length; place += 1) {
      const spelling = spellings[place] ?? 0;
      if (spellings.indexOf(spelling) !== place) continue;
      postedSpellings.push(spelling);
      postedNames.push(at);
    }
    whole.add(wholeKey(name.kinds, name.shares), at);
    for (const key of squashedKeys(name.canonical, name.kinds)) squashed.add(key, at);
    for (const key of joinedKeys(name)) joined.add(key, at);
  };
  return {
    add(entry, entryAt) {
      for (const [nameAt, { name: written, kind }] of entry.names.entries()) {
        for (const tokens of listedReadings(written, isPerson)) {
          entryOf.push(entryAt);
          nameAtOf.push(nameAt);
          shareOf.push(kind === "weak" ? config.weakAlias : 1);
          addName(spell(tokens), names);
          names += 1;
        }
      }
    },
    finish() {
      const known = vocabulary.finish();
      const listed = {
        vocabulary: known,
        postings: groupRows(postedSpellings.values(), postedNames.values(), known.spellings.length),
        joined: joined.table(),
        whole: whole.table(),
        squashed: squashed.table(),
        wordsOf: groupRows(namesOfWords.values(), words.values(), names),
        kindsOf: groupRows(namesOfWords.values(), kindsOfWords.values(), names),
        entryOf: entryOf.values().slice(),
        nameAtOf: nameAtOf.values().slice(),
        shareOf: Float32Array.from(shareOf),
        isPerson,
        config,
        weighed: new Map(),
        board: new Float32Array(names),
      };
      return {
        search: (name) => searchNames(name, listed),
        same: (name) => sameNames(name, listed),
      };
    },
  };
}

/** Names under keys of one sort. */
function keyedNames() {
  const [keys, names] = [numberList(), numberList()];
  return {
    add(key: number, name: number): void {
      keys.push(key);
      names.push(name);
    },
    table: () => keyTable(keys.values(), names.values()),
  };
}

/** The words of a listed name, by their places in it. */
export type SpeltName = {
  readonly tokens: readonly string[];
  readonly lengths: readonly number[];
  /** `hashWord` of each word. */
  readonly wordHashes: readonly number[];
  readonly kinds: readonly WordKind[];
  /** Ids in the vocabulary: of words, and of their canonical spellings. */
  readonly words: readonly number[];
  readonly spellings: readonly number[];
  readonly canonical: readonly string[];
  /** `hashWord` of each canonical spelling. */
  readonly hashes: readonly number[];
  /** See `hashShare`. */
  readonly shares: readonly number[];
};

/** Spells names with the words of a vocabulary, and adds to it those that it has not. */
export type NameSpeller = (tokens: readonly string[]) => SpeltName;

/** What is derived from a word is derived once, however many names have it. */
export function nameSpeller(vocabulary: VocabularyBuilder, isPerson: boolean): NameSpeller {
  const kindOf: WordKind[] = [];
  const [lengthOf, wordHashOf] = [numberList(), numberList()];
  const [hashOf, shareOf] = [numberList(), numberList()];
  let spellingCount = 0;

  const addWord = (token: string): void => {
    kindOf.push(wordKind(token, isPerson));
    lengthOf.push(token.length);
    wordHashOf.push(hashWord(token));
  };
  const addSpelling = (canonical: string): void => {
    hashOf.push(hashWord(canonical));
    shareOf.push(hashShare(canonical, consonantSkeleton(canonical)));
    spellingCount += 1;
  };
  return (tokens) => {
    const lengths: number[] = [];
    const wordHashes: number[] = [];
    const words: number[] = [];
    const spellings: number[] = [];
    const canonical: string[] = [];
    const hashes: number[] = [];
    const shares: number[] = [];
    const alone: WordKind[] = [];
    for (const token of tokens) {
      const word = vocabulary.add(token);
      if (word === kindOf.length) addWord(token);
      const spelling = vocabulary.spellingOf(word);
      if (spelling === spellingCount) addSpelling(vocabulary.spelling(spelling));
      alone.push(kindOf[word] ?? "name");
      lengths.push(lengthOf.at(word));
      wordHashes.push(wordHashOf.at(word));
      words.push(word);
      spellings.push(spelling);
      canonical.push(vocabulary.spelling(spelling));
      hashes.push(hashOf.at(spelling));
      shares.push(shareOf.at(spelling));
    }
    const kinds = isPerson ? personKinds(tokens, alone) : alone;
    return { tokens, lengths, wordHashes, kinds, words, spellings, canonical, hashes, shares };
  };
}

/** Keys of two neighbours written as one word, as they are written and as they are spelt. */
export function joinedKeys(name: SpeltName): number[] {
  const { tokens, kinds, lengths, wordHashes, canonical, hashes } = name;
  const keys: number[] = [];
  if (tokens.length < 2) return keys;
  for (let first = 0; first < tokens.length; first += 1) {
    const second = (first + 1) % tokens.length;
    if (
      !mayBeOne(lengths[first] ?? 0, lengths[second] ?? 0) ||
      (kinds[first] === "legal" && kinds[second] === "legal")
    )
      continue;
    const asWritten = hashWord(tokens[second] ?? "", 0, wordHashes[first] ?? 0);
    keys.push(asWritten);
    const head = canonical[first] ?? "";
    const asSpelt = hashJoinedSpellings(head, hashes[first] ?? 0, canonical[second] ?? "");
    if (asSpelt !== asWritten) keys.push(asSpelt);
  }
  return keys;
}
