/**
 * All numbers that decide a score, as measured in the README. A screening stores `version`, so that
 * its verdict can be explained after the numbers have changed. Change `version` whenever you change
 * a number.
 */
export const matcherConfig = {
  version: "2026-11-28",
  /** Increases with each `version`. A result never replaces one of a higher revision. */
  revision: 4,
  /**
   * Thresholds in [0, 1]: from `review` on, a person decides; from `block` on, the payment stops.
   */
  bands: { review: 0.77, block: 0.93 },
  /**
   * Minimum score of a bank's name that no other rule matches. Less similar names are other banks',
   * because most of their words occur in all banks' names.
   */
  bankNameMin: 0.8,
  tokens: {
    /** Weights by kind, relative to 1 for the rarest name. */
    legal: 0.06,
    particle: 0.12,
    honorific: 0.08,
    trade: 0.45,
    initial: 0.15,
    /** Factor of a company's own name token that the party lacks, which means another company. */
    companyMissing: 1.5,
    /** Weight of the commonest token of the lists. */
    commonest: 0.4,
    /**
     * Rarity of a word that no list has, in [0, 1]. The lists tell nothing about such a word, and
     * most of them (`Smith`, `Priya`) are common.
     */
    unknownRarity: 0.6,
    /** Minimum number of names to compute rarity from; a short list shows little about rarity. */
    namesMin: 20_000,
  },
  spelling: {
    /** Tokens below this similarity are different tokens. */
    similarityMin: 0.6,
    /** Exponent of similarities. Above 1, a misspelt token counts less than linearly. */
    sharpness: 1.6,
    /** Similarity of two tokens with one canonical spelling; the maximum for all others. */
    canonical: 0.97,
    /** Extra cost of an edit for each letter that a token has below six. */
    shortToken: 0.07,
    /**
     * Similarity of tokens with the same consonant skeleton of at least two consonants: `base`,
     * plus `letters` times the similarity of their letters.
     */
    sameSkeleton: { short: { base: 0.42, letters: 0.5 }, long: { base: 0.56, letters: 0.42 } },
    /**
     * Factor for two words with different consonants that many listed names (`otherNameCount`) have
     * each. A typo rarely produces another name (`Andres`, `Andrej`).
     */
    otherName: 0.93,
    otherNameCount: 5,
    /** Similarity of an initial to a token with that first letter. */
    initial: 0.6,
    /** Similarity of `Abdul` to a name with that beginning. */
    abd: 0.8,
    /** Factor of a token that the other side writes as two (`Abd Ullah`, `Abdullah`). */
    compound: 0.97,
  },
  /** Cost of an unmatched token of weight 1: on each side, and if both sides have one. */
  unmatched: { party: 0.6, entry: 0.25, conflict: 0.9 },
  /** Factor of the score of a weak alias. */
  weakAlias: 0.97,
  evidence: {
    /** Minimum name score (half of a name) at which an equal birth date or country raises it. */
    nameMin: 0.5,
    /** Each raises the score by this share of its distance to 1. */
    dateEqual: 0.5,
    dateNear: 0.2,
    yearEqual: 0.25,
    countryShared: 0.1,
    /** Equal numbers: of an unknown issuer, and of the same country. */
    documentEqual: 0.9,
    documentSame: 0.925,
    /** These two are subtracted from the score. */
    dateContradicts: 0.12,
    countryDiffers: 0.02,
  },
  /** A listed name within a longer one; see `index/containment.ts`. */
  containment: {
    /** Minimum similarity of words with `longWord` letters or more. Shorter words must be equal. */
    similarityMin: 0.9,
    longWord: 5,
    canonical: 0.97,
    /** Minimum letters of two words that the other side joins, and of a whole joined name. */
    joinedLengthMin: 6,
    joinedWholeMin: 8,
    /** A word with fewer letters has a proportionally lower rarity. */
    wholeWord: 4,
    /** Exponent of the similarity of a word that is nearly equal. */
    sharpness: 3,
    /**
     * Minimum sum of the words' rarities. Each is in [0, 1], and lower for a word that is nearly
     * equal.
     */
    rarityMin: 1.05,
    /** Minimum words of a listed name; a name of one word has its own rule. */
    wordsMin: 2,
  },
  /** Names aligned per search, best candidates first. */
  candidatesMax: 150,
  /** If the last candidates tie, the limit is this number divided by the party's token count. */
  tiedTokensMax: 1_200,
  /** Hits that one search returns by default. */
  hitsMax: 20,
};

type DeepReadonly<T> = {
  readonly [K in keyof T]: T[K] extends object ? DeepReadonly<T[K]> : T[K];
};

export type MatcherConfig = DeepReadonly<typeof matcherConfig>;
