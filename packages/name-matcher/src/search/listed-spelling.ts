import { consonantSkeleton } from "../name/canonical-spelling.ts";
import { mayBeOne } from "../name/neighbours.ts";
import { personKinds, type WordKind, wordKind } from "../name/words.ts";
import { numberList } from "./key-table.ts";
import { hashJoinedSpellings, hashShare, hashWord } from "./keys.ts";
import type { VocabularyBuilder } from "./vocabulary.ts";

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
