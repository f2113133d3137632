import { spellingSimilarity } from "../alignment/spelling-distance.ts";
import { canonicalSpelling } from "../tokens/canonical-spelling.ts";
import { type KeyTable, keyedNumbers, numberList } from "./flat-tables.ts";
import { forEachLetterKey, forEachSpellingKey, forEachTokenKey } from "./hash-keys.ts";

/**
 * The distinct tokens of all listed names and their canonical spellings, found by themselves, by
 * any one edit and by their consonants. Look-ups are by hash; none walks the vocabulary.
 */
export type Vocabulary = {
  /** Tokens by id. */
  readonly tokens: readonly string[];
  /** The id of each token's canonical spelling, by the id of the token. */
  readonly spellingOf: Int32Array;
  /** Canonical spellings by id. */
  readonly spellings: readonly string[];
  /** The id of a canonical spelling that is listed. */
  spellingId(canonical: string): number | undefined;
  /** The id of a token that is listed. */
  tokenId(text: string): number | undefined;
  /**
   * Ids with their similarity, in [0, 1], 0 where too little: canonical spellings that are equal,
   * one edit away, or of the same consonants but one; tokens of others one edit away as written.
   */
  similar(
    text: string,
    canonical: string,
  ): Readonly<Record<"spellings" | "tokens", ReadonlyMap<number, number>>>;
  /** Ids of canonical spellings that are equal or one edit away; a part of `similar`. */
  near(canonical: string): ReadonlySet<number>;
};

/** Less similar tokens are different ones, whatever the configuration. */
const similarityMin = 0.5;

/** An empty vocabulary to fill; ids count from 0. */
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
    /** The id of a token, new or known. */
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
    /** The id of the canonical spelling of a token. */
    spellingOf: (token: number): number => spellingOf.at(token),
    /** A canonical spelling by its id. */
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
