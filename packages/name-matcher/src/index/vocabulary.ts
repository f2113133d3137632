import { spellingSimilarity } from "../alignment/spelling-distance.ts";
import { canonicalSpelling } from "../tokens/canonical-spelling.ts";
import { type KeyTable, keyedNumbers, numberList } from "./flat-tables.ts";
import { forEachLetterKey, forEachSpellingKey, forEachTokenKey } from "./hash-keys.ts";

/**
 * The distinct tokens of all listed names, and their canonical spellings. Finds tokens that are
 * equal, one edit apart, or similar in their consonants. Every lookup uses hashes and never scans
 * the vocabulary.
 */
export type Vocabulary = {
  /** The position of a token is its id. */
  readonly tokens: readonly string[];
  /** The id of each token's canonical spelling, by the id of the token. */
  readonly spellingOf: Int32Array;
  /** The position of a spelling is its id. */
  readonly spellings: readonly string[];
  /** Returns `undefined` for a spelling that is not listed. */
  spellingId(canonical: string): number | undefined;
  /** Returns `undefined` for a token that is not listed. */
  tokenId(text: string): number | undefined;
  /**
   * Returns the ids of similar spellings and tokens with their similarity in [0, 1], 0 if too low.
   * Spellings are equal, one edit apart, or differ in one consonant. Tokens are one edit apart as
   * written.
   */
  similar(
    text: string,
    canonical: string,
  ): Readonly<Record<"spellings" | "tokens", ReadonlyMap<number, number>>>;
  /**
   * Returns the ids of canonical spellings that are equal or one edit apart, a subset of `similar`.
   */
  near(canonical: string): ReadonlySet<number>;
};

/**
 * The minimum similarity in the vocabulary. In every configuration, tokens below it are different.
 */
const similarityMin = 0.5;

/** Starts an empty vocabulary; ids count from 0. */
export function vocabularyBuilder() {
  const tokens: string[] = [];
  const tokenIds = new Map<string, number>();
  const spellings: string[] = [];
  const spellingIds = new Map<string, number>();
  const spellingOf = numberList();
  const [spellingKeys, tokenKeys] = [keyedNumbers(), keyedNumbers()];

  const addSpelling = (canonical: string): number => {
    const known = spellingIds.get(canonical);
    if (known !== undefined) return known;
    const id = spellings.length;
    spellings.push(canonical);
    spellingIds.set(canonical, id);
    forEachSpellingKey(canonical, (key) => spellingKeys.add(key, id));
    return id;
  };
  return {
    /** Returns the id of a token, and adds it if it is new. */
    add(text: string): number {
      const known = tokenIds.get(text);
      if (known !== undefined) return known;
      const id = tokens.length;
      const canonical = canonicalSpelling(text);
      spellingOf.push(addSpelling(canonical));
      if (text !== canonical) forEachTokenKey(text, (key) => tokenKeys.add(key, id));
      tokens.push(text);
      tokenIds.set(text, id);
      return id;
    },
    /** Returns the id of a token's canonical spelling. */
    spellingOf: (token: number): number => spellingOf.at(token),
    /** Returns a canonical spelling by its id. */
    spelling: (id: number): string => spellings[id] ?? "",
    finish(): Vocabulary {
      const [bySpelling, byToken] = [spellingKeys.table(), tokenKeys.table()];
      const spellingOfToken = spellingOf.values().slice();
      return {
        tokens,
        spellingOf: spellingOfToken,
        spellings,
        spellingId: (canonical) => spellingIds.get(canonical),
        tokenId: (text) => tokenIds.get(text),
        similar(text, canonical) {
          const found = new Map<number, number>();
          const exact = spellingIds.get(canonical);
          if (exact !== undefined) found.set(exact, 1);
          const similarityOf = (id: number): number =>
            spellingSimilarity(canonical, spellings[id] ?? "", similarityMin);
          const consider = (id: number): void => {
            if (!found.has(id)) found.set(id, similarityOf(id));
          };
          const considerKey = (key: number): void => bySpelling.forEach(key, consider);
          forEachSpellingKey(canonical, considerKey);
          if (text !== canonical) forEachTokenKey(text, considerKey);
          const similarTokens = new Map<number, number>();
          const considerToken = (id: number): void => {
            const spelling = spellingOfToken[id] ?? 0;
            if (found.has(spelling) || similarTokens.has(id)) return;
            similarTokens.set(id, similarityOf(spelling));
          };
          forEachTokenKey(text, (key) => byToken.forEach(key, considerToken));
          return { spellings: found, tokens: similarTokens };
        },
        near: (canonical) => nearSpellings(canonical, spellings, bySpelling),
      };
    },
  };
}

function nearSpellings(
  canonical: string,
  spellings: readonly string[],
  bySpelling: KeyTable,
): ReadonlySet<number> {
  const found = new Set<number>();
  const consider = (id: number): void => {
    const isNear = spellingSimilarity(canonical, spellings[id] ?? "", similarityMin) > 0;
    if (isNear) found.add(id);
  };
  forEachLetterKey(canonical, (key) => bySpelling.forEach(key, consider));
  return found;
}
