/**
 * Every number that decides a score, as measured in the README, under a version that a screening
 * stores, so that its verdict can be explained after the numbers have changed. Change a number,
 * change `version`.
 */
export const matcherConfig = {
  version: "2026-11-28",
  /** Increases with each `version`: a result of a higher one is not replaced by a lower one's. */
  revision: 4,
  /** Thresholds in [0, 1]: at or above `review` a person decides, at or above `block` is a stop. */
  bands: { review: 0.77, block: 0.93 },
  /**
   * Least score of a bank's name that is no rule's: names of banks that are less alike are of other
   * banks, since most of their words are words that all banks have.
   */
  bankNameMin: 0.8,
  tokens: {
    /** Weights by kind, 1 being that of the rarest name. */
    legal: 0.06,
    particle: 0.12,
    honorific: 0.08,
    trade: 0.45,
    initial: 0.15,
    /** Factor of a company's own name token that the party lacks: it is another company. */
    companyMissing: 1.5,
    /** Weight of the commonest token of the lists. */
    commonest: 0.4,
    /**
     * Rarity of a word that no list has, in [0, 1]: the lists say nothing about it, and most such
     * words (`Smith`, `Priya`) are common.
     */
    unknownRarity: 0.6,
    /** Names that rarity is computed from at least: a short list says little about rarity. */
    namesMin: 20_000,
  },
  spelling: {
    /** Tokens below this similarity are different tokens. */
    similarityMin: 0.6,
    /** Exponent of similarities: above 1, a misspelt token counts less than linearly. */
    sharpness: 1.6,
    /** Similarity of two tokens of one canonical spelling; the most that others reach. */
    canonical: 0.97,
    /** An edit costs so much more for each letter that a token has less than six. */
    shortToken: 0.07,
    /**
     * Similarity of tokens of one consonant skeleton, of two consonants or more: `base`, and
     * `letters` times the similarity of their letters.
     */
    sameSkeleton: { short: { base: 0.42, letters: 0.5 }, long: { base: 0.56, letters: 0.42 } },
    /**
     * Factor of two words of other consonants that so many listed names have each: a typo rarely
     * makes another name (`Andres`, `Andrej`).
     */
    otherName: 0.93,
    otherNameCount: 5,
    /** Similarity of an initial to a token that begins with it. */
    initial: 0.6,
    /** Similarity of `Abdul` to a name that begins with it. */
    abd: 0.8,
    /** Factor of a token written as two (`Abd Ullah`, `Abdullah`). */
    compound: 0.97,
  },
  /** Cost of an unmatched token of weight 1, on each side and where both sides have one. */
  unmatched: { party: 0.6, entry: 0.25, conflict: 0.9 },
  /** Factor of the score of a weak alias. */
  weakAlias: 0.97,
  evidence: {
    /** From this name score on an equal birth date or country raises it: from half a name on. */
    nameMin: 0.5,
    /** Each raises the score by this share of what it lacks to 1. */
    dateEqual: 0.5,
    dateNear: 0.2,
    yearEqual: 0.25,
    countryShared: 0.1,
    /** The same number: of an unknown issuer, and of the same country. */
    documentEqual: 0.9,
    documentSame: 0.925,
    /** Subtracted from the score. */
    dateContradicts: 0.12,
    countryDiffers: 0.02,
  },
  /** A listed name within a longer one; see `index/containment.ts`. */
  containment: {
    /** Least similarity of a word of so many letters; another one is equal in its spelling. */
    similarityMin: 0.9,
    longWord: 5,
    canonical: 0.97,
    /** Letters of two words that the other side writes as one; of all of a listed name, more. */
    joinedLengthMin: 6,
    joinedWholeMin: 8,
    /** A word of fewer letters counts for so much less. */
    wholeWord: 4,
    /** Exponent of the similarity of a word that is nearly equal. */
    sharpness: 3,
    /**
     * Least sum of the rarities of its words, each in [0, 1] and less for one that is nearly equal.
     */
    rarityMin: 1.05,
    /** Words of a listed name; one of fewer has a rule of its own. */
    wordsMin: 2,
  },
  /** Names aligned per search, best candidates first. */
  candidatesMax: 150,
  /** Where the last are tied, names up to this number divided by the party's tokens. */
  tiedTokensMax: 1_200,
  /** Hits returned by default. */
  hitsMax: 20,
};

type DeepReadonly<T> = {
  readonly [K in keyof T]: T[K] extends object ? DeepReadonly<T[K]> : T[K];
};

/** The numbers of a matcher; see `matcherConfig` for what each means. */
export type MatcherConfig = DeepReadonly<typeof matcherConfig>;
