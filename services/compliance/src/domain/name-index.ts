import { joinSpellings } from "./canonical-spelling.ts";
import { keyTable, numberList } from "./key-table.ts";
import type { ListEntry } from "./list-entry.ts";
import type { MatcherConfig } from "./matcher-config.ts";
import { neighbours } from "./name-neighbours.ts";
import { type NameMatch, searchNames } from "./name-search.ts";
import { nameTokens } from "./name-tokens.ts";
import { wordKinds } from "./name-words.ts";
import { groupRows } from "./rows.ts";
import { hashWord } from "./search-keys.ts";
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
  const [postedSpellings, postedNames] = [numberList(), numberList()];
  const [words, namesOfWords] = [numberList(), numberList()];
  const [joinedKeys, joinedNames] = [numberList(), numberList()];
  const [entryOf, nameAtOf] = [numberList(), numberList()];
  let names = 0;

  const addName = (tokens: readonly string[], name: number): void => {
    const ids = tokens.map((token) => vocabulary.add(token));
    for (const [at, { word, spelling }] of ids.entries()) {
      words.push(word);
      namesOfWords.push(name);
      if (ids.findIndex((each) => each.spelling === spelling) !== at) continue;
      postedSpellings.push(spelling);
      postedNames.push(name);
    }
    const isLight = wordKinds(tokens, isPerson).map((kind) => kind === "legal");
    for (const [first, second] of neighbours(tokens)) {
      if (isLight[first] && isLight[second]) continue;
      const [one, two] = [ids[first]?.spelling ?? 0, ids[second]?.spelling ?? 0];
      const canonical = joinSpellings(vocabulary.spelling(one), vocabulary.spelling(two));
      for (const joined of new Set([`${tokens[first]}${tokens[second]}`, canonical])) {
        joinedKeys.push(hashWord(joined));
        joinedNames.push(name);
      }
    }
  };
  return {
    add(entry, entryAt) {
      for (const [nameAt, { name: written }] of entry.names.entries()) {
        const tokens = nameTokens(written, isPerson);
        if (tokens.length === 0) continue;
        entryOf.push(entryAt);
        nameAtOf.push(nameAt);
        addName(tokens, names);
        names += 1;
      }
    },
    finish() {
      const known = vocabulary.finish();
      const listed = {
        vocabulary: known,
        postings: groupRows(postedSpellings.values(), postedNames.values(), known.spellings.length),
        joined: keyTable(joinedKeys.values(), joinedNames.values()),
        wordsOf: groupRows(namesOfWords.values(), words.values(), names),
        entryOf: entryOf.values().slice(),
        nameAtOf: nameAtOf.values().slice(),
        isPerson,
        config,
        weighed: [],
        board: new Float32Array(names),
      };
      return { search: (name) => searchNames(name, listed) };
    },
  };
}
