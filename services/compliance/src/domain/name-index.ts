import type { ListEntry } from "./list-entry.ts";
import type { MatcherConfig } from "./matcher-config.ts";
import { type NameMatch, searchNames } from "./name-search.ts";
import { joinedLengthMax, nameTokens } from "./name-tokens.ts";
import { groupRows } from "./rows.ts";
import { vocabularyBuilder } from "./vocabulary.ts";

/** The names of all entries of one type, found by their words. */
export type NameIndex = { search(name: string): Map<number, NameMatch> };

export type NameIndexBuilder = {
  add(entry: ListEntry, entryAt: number): void;
  finish(): NameIndex;
};

/** Collects the names of entries of one type. */
export function nameIndexBuilder(isPerson: boolean, config: MatcherConfig): NameIndexBuilder {
  const vocabulary = vocabularyBuilder();
  const postingWords: number[] = [];
  const postingNames: number[] = [];
  const wordsOf: number[][] = [];
  const entryOf: number[] = [];
  const nameAtOf: number[] = [];
  const post = (word: string, bySound: boolean, name: number): number => {
    const id = vocabulary.add(word, bySound);
    postingWords.push(id);
    postingNames.push(name);
    return id;
  };
  return {
    add(entry, entryAt) {
      for (const [nameAt, { name: written }] of entry.names.entries()) {
        const tokens = nameTokens(written, isPerson);
        if (tokens.length === 0) continue;
        const name = wordsOf.length;
        wordsOf.push(tokens.map((token) => post(token, true, name)));
        entryOf.push(entryAt);
        nameAtOf.push(nameAt);
        for (const joined of joinedNeighbours(tokens)) post(joined, false, name);
      }
    },
    finish() {
      const words = vocabulary.finish();
      const listed = {
        vocabulary: words,
        postings: groupRows(postingWords, postingNames, words.words.length),
        wordsOf,
        entryOf,
        nameAtOf,
        isPerson,
        config,
        weighed: [],
        board: new Float32Array(wordsOf.length),
      };
      return { search: (name) => searchNames(name, listed) };
    },
  };
}

/** Neighbours as one word; the last and the first are neighbours too (see `alignment.ts`). */
function joinedNeighbours(tokens: readonly string[]): string[] {
  if (tokens.length < 2) return [];
  const joined = tokens.map((token, at) => token + tokens[(at + 1) % tokens.length]);
  return joined.filter((pair) => pair.length <= joinedLengthMax);
}
