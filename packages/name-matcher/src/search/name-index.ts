import type { MatcherConfig } from "../config.ts";
import type { NamedEntry } from "../entry.ts";
import { listedReadings } from "../name/readings.ts";
import { squashedKeys } from "../name/squashed.ts";
import { allKinds } from "../name/words.ts";
import { keyTable, numberList } from "./key-table.ts";
import { wholeKey } from "./keys.ts";
import { joinedKeys, nameSpeller, type SpeltName } from "./listed-spelling.ts";
import { groupRows } from "./rows.ts";
import { type NameMatch, sameNames, searchNames } from "./search.ts";
import { vocabularyBuilder } from "./vocabulary.ts";

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
