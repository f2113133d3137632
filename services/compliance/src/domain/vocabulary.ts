import { canonicalSpelling } from "./canonical-spelling.ts";
import { type KeyTable, keyTable, numberList } from "./key-table.ts";
import { forEachSearchHash, forEachWordHash } from "./search-keys.ts";
import { spellingSimilarity } from "./spelling-distance.ts";

/**
 * The words of all listed names, each once, and their canonical spellings, findable by
 * themselves, by any one edit and by their consonants. Look-ups are by hash; none walks the
 * vocabulary.
 */
export type Vocabulary = {
  /** By the id of a word. */
  readonly words: readonly string[];
  readonly spellingOf: Uint32Array;
  /** By the id of a canonical spelling. */
  readonly spellings: readonly string[];
  /** The id of a canonical spelling that is listed exactly so. */
  exact(canonical: string): number | undefined;
  /** The id of the canonical spelling of a word that is listed exactly so. */
  exactWord(text: string): number | undefined;
  /**
   * Ids of listed spellings that may be this one, each with how alike it is: equal, one edit away,
   * or of the same consonants.
   */
  similar(text: string, canonical: string): ReadonlyMap<number, number>;
};

export type ListedWord = {
  readonly text: string;
  readonly word: number;
  readonly spelling: number;
};

export type VocabularyBuilder = {
  /** A word, new or known, with its id and that of its canonical spelling. */
  add(text: string): ListedWord;
  /** The canonical spelling of a known word. */
  spelling(id: number): string;
  finish(): Vocabulary;
};

/** Less alike than this are different words, whatever the configuration. */
const similarityMin = 0.5;

type Lookups = {
  readonly spellings: readonly string[];
  readonly idOf: ReadonlyMap<string, number>;
  readonly byKey: KeyTable;
};

/** Collects the words of a list. */
export function vocabularyBuilder(): VocabularyBuilder {
  const words: string[] = [];
  const listed = new Map<string, ListedWord>();
  const spellingOf = numberList();
  const spellings: string[] = [];
  const spellingIds = new Map<string, number>();
  const [keys, keyIds] = [numberList(), numberList()];

  const spellingId = (canonical: string): number => {
    const known = spellingIds.get(canonical);
    if (known !== undefined) return known;
    const id = spellings.length;
    spellings.push(canonical);
    spellingIds.set(canonical, id);
    return id;
  };
  return {
    add(text) {
      const known = listed.get(text);
      if (known !== undefined) return known;
      const word = words.length;
      const canonical = canonicalSpelling(text);
      const isNew = !spellingIds.has(canonical);
      const spelling = spellingId(canonical);
      const enter = (hash: number): void => {
        keys.push(hash);
        keyIds.push(spelling);
      };
      if (isNew) forEachSearchHash(canonical, enter);
      if (text !== canonical) forEachWordHash(text, enter);
      words.push(text);
      spellingOf.push(spelling);
      const added = { text, word, spelling };
      listed.set(text, added);
      return added;
    },
    spelling: (id) => spellings[id] ?? "",
    finish() {
      const lookups = {
        spellings,
        idOf: spellingIds,
        byKey: keyTable(keys.values(), keyIds.values()),
      };
      return {
        words,
        spellingOf: spellingOf.values().slice(),
        spellings,
        exact: (canonical) => spellingIds.get(canonical),
        exactWord: (text) => listed.get(text)?.spelling,
        similar: (text, canonical) => similarSpellings(text, canonical, lookups),
      };
    },
  };
}

function similarSpellings(
  text: string,
  canonical: string,
  { spellings, idOf, byKey }: Lookups,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const exact = idOf.get(canonical);
  if (exact !== undefined) found.set(exact, 1);
  const consider = (id: number): void => {
    if (found.has(id)) return;
    found.set(id, spellingSimilarity(canonical, spellings[id] ?? "", similarityMin));
  };
  const lookUp = (hash: number): void => byKey.forEach(hash, consider);
  forEachSearchHash(canonical, lookUp);
  if (text !== canonical) forEachWordHash(text, lookUp);
  return found;
}
