import { spellingSimilarity } from "../alignment/spelling-distance.ts";
import { canonicalSpelling } from "../name/canonical-spelling.ts";
import { type KeyTable, keyTable, numberList } from "./flat-tables.ts";
import { forEachSearchHash, forEachWordHash } from "./keys.ts";

/**
 * The words of all listed names, each once, and their canonical spellings, findable by
 * themselves, by any one edit and by their consonants. Look-ups are by hash; none walks the
 * vocabulary.
 */
export type Vocabulary = {
  /** By the id of a word. */
  readonly words: readonly string[];
  readonly spellingOf: Int32Array;
  /** By the id of a canonical spelling. */
  readonly spellings: readonly string[];
  /** The id of a canonical spelling that is listed exactly so. */
  exact(canonical: string): number | undefined;
  /** The id of a word that is listed exactly so. */
  exactWord(text: string): number | undefined;
  similar(text: string, canonical: string): SimilarWords;
};

/** Each with how alike it is, in [0, 1]. */
export type SimilarWords = {
  /** Canonical spellings that are equal, one edit away, or of the same consonants but one. */
  readonly spellings: ReadonlyMap<number, number>;
  /** Words of other spellings that are one edit away as they are written. */
  readonly words: ReadonlyMap<number, number>;
};

/** Takes the words of names one by one. */
export type VocabularyBuilder = {
  /** The id of a word, new or known. */
  add(text: string): number;
  /** The id of the canonical spelling of a known word. */
  spellingOf(word: number): number;
  /** A canonical spelling by its id; ids are given from 0 on. */
  spelling(id: number): string;
  finish(): Vocabulary;
};

/** Less alike than this are different words, whatever the configuration. */
const similarityMin = 0.5;

type Lookups = {
  readonly spellings: readonly string[];
  readonly idOf: ReadonlyMap<string, number>;
  readonly spellingOf: Int32Array;
  readonly bySpelling: KeyTable;
  readonly byText: KeyTable;
};

/** Collects the words of a list. */
export function vocabularyBuilder(): VocabularyBuilder {
  const words: string[] = [];
  const listed = new Map<string, number>();
  const spellingOf = numberList();
  const spellings: string[] = [];
  const spellingIds = new Map<string, number>();
  const [spellingKeys, keyedSpellings] = [numberList(), numberList()];
  const [textKeys, keyedWords] = [numberList(), numberList()];

  const spellingId = (canonical: string): number => {
    const known = spellingIds.get(canonical);
    if (known !== undefined) return known;
    const id = spellings.length;
    spellings.push(canonical);
    spellingIds.set(canonical, id);
    forEachSearchHash(canonical, (hash) => {
      spellingKeys.push(hash);
      keyedSpellings.push(id);
    });
    return id;
  };
  return {
    add(text) {
      const known = listed.get(text);
      if (known !== undefined) return known;
      const word = words.length;
      const canonical = canonicalSpelling(text);
      const spelling = spellingId(canonical);
      if (text !== canonical) {
        forEachWordHash(text, (hash) => {
          textKeys.push(hash);
          keyedWords.push(word);
        });
      }
      words.push(text);
      spellingOf.push(spelling);
      listed.set(text, word);
      return word;
    },
    spellingOf: (word) => spellingOf.at(word),
    spelling: (id) => spellings[id] ?? "",
    finish() {
      const lookups = {
        spellings,
        idOf: spellingIds,
        spellingOf: spellingOf.values().slice(),
        bySpelling: keyTable(spellingKeys.values(), keyedSpellings.values()),
        byText: keyTable(textKeys.values(), keyedWords.values()),
      };
      return {
        words,
        spellingOf: lookups.spellingOf,
        spellings,
        exact: (canonical) => spellingIds.get(canonical),
        exactWord: (text) => listed.get(text),
        similar: (text, canonical) => similarWords(text, canonical, lookups),
      };
    },
  };
}

function similarWords(text: string, canonical: string, lookups: Lookups): SimilarWords {
  const { spellings, idOf, spellingOf, bySpelling, byText } = lookups;
  const found = new Map<number, number>();
  const exact = idOf.get(canonical);
  if (exact !== undefined) found.set(exact, 1);
  const alikeOf = (id: number): number =>
    spellingSimilarity(canonical, spellings[id] ?? "", similarityMin);
  const consider = (id: number): void => {
    if (!found.has(id)) found.set(id, alikeOf(id));
  };
  forEachSearchHash(canonical, (hash) => bySpelling.forEach(hash, consider));

  if (text !== canonical) forEachWordHash(text, (hash) => bySpelling.forEach(hash, consider));
  const words = new Map<number, number>();
  forEachWordHash(text, (hash) =>
    byText.forEach(hash, (id) => {
      const spelling = spellingOf[id] ?? 0;
      if (!found.has(spelling) && !words.has(id)) words.set(id, alikeOf(spelling));
    }),
  );
  return { spellings: found, words };
}
