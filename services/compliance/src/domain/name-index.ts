import { consonantSkeleton } from "./canonical-spelling.ts";
import { keyTable, numberList } from "./key-table.ts";
import type { ListEntry } from "./list-entry.ts";
import type { MatcherConfig } from "./matcher-config.ts";
import { neighbours } from "./name-neighbours.ts";
import { type NameMatch, searchNames } from "./name-search.ts";
import { nameTokens } from "./name-tokens.ts";
import { allKinds, type WordKind, wordKinds } from "./name-words.ts";
import { groupRows } from "./rows.ts";
import { hashJoined, hashJoinedSpellings, hashWhole, type SpeltWord } from "./search-keys.ts";
import { squashedKeys } from "./squashed-name.ts";
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
  const [words, kindsOfWords, namesOfWords] = [numberList(), numberList(), numberList()];
  const [joined, whole, squashed] = [keyedNames(), keyedNames(), keyedNames()];
  const [entryOf, nameAtOf] = [numberList(), numberList()];
  const shareOf: number[] = [];
  /** By the id of a canonical spelling. */
  const skeletons: string[] = [];
  let names = 0;

  const speltWord = (spelling: number, kind: WordKind): SpeltWord => {
    const canonical = vocabulary.spelling(spelling);
    skeletons[spelling] ??= consonantSkeleton(canonical);
    return { kind, canonical, skeleton: skeletons[spelling] };
  };
  const addName = (tokens: readonly string[], name: number): void => {
    const ids = tokens.map((token) => vocabulary.add(token));
    const kinds = wordKinds(tokens, isPerson);
    for (const [at, { word, spelling }] of ids.entries()) {
      words.push(word);
      kindsOfWords.push(allKinds.indexOf(kinds[at] ?? "name"));
      namesOfWords.push(name);
      if (ids.findIndex((each) => each.spelling === spelling) !== at) continue;
      postedSpellings.push(spelling);
      postedNames.push(name);
    }
    const spelt = ids.map(({ spelling }, at) => speltWord(spelling, kinds[at] ?? "name"));
    whole.add(hashWhole(spelt), name);
    for (const key of squashedKeys(spelt)) squashed.add(key, name);
    for (const key of joinedKeysOf(tokens, spelt)) joined.add(key, name);
  };
  return {
    add(entry, entryAt) {
      for (const [nameAt, { name: written, kind }] of entry.names.entries()) {
        const tokens = nameTokens(written, isPerson);
        if (tokens.length === 0) continue;
        entryOf.push(entryAt);
        nameAtOf.push(nameAt);
        shareOf.push(kind === "weak" ? config.weakAlias : 1);
        addName(tokens, names);
        names += 1;
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
      return { search: (name) => searchNames(name, listed) };
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

/** Keys of two neighbours written as one word, as they are written and as they are spelt. */
function* joinedKeysOf(tokens: readonly string[], spelt: readonly SpeltWord[]): Generator<number> {
  const pairs = neighbours(tokens.map((text) => ({ text })));
  for (const [first, second] of pairs) {
    const [one, two] = [spelt[first], spelt[second]];
    if (one === undefined || two === undefined) continue;
    if (one.kind === "legal" && two.kind === "legal") continue;
    const asWritten = hashJoined(tokens[first] ?? "", tokens[second] ?? "");
    const canonical = hashJoinedSpellings(one.canonical, two.canonical);
    yield asWritten;
    if (canonical !== asWritten) yield canonical;
  }
}
