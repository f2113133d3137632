/**
 * All parameters of the score; the README has the measurements. Each screening stores `version`, so
 * that its verdict can be explained later. Change `version` whenever you change a number.
 */
export const matcherConfig = {
  version: "2026-12-01",
  /** Increases with each `version`. A result does not replace a result of a higher revision. */
  revision: 5,
  /**
   * Score thresholds in [0, 1]. From `review` on, a person decides. From `block` on, the payment
   * stops.
   */
  bands: { review: 0.77, block: 0.93 },
  /**
   * Minimum score of a match by a bank's name alone. Most words occur in the names of many banks,
   * so a lower score usually means another bank.
   */
  bankNameMin: 0.8,
  tokens: {
    /** Weights by kind, relative to 1 for the rarest name. */
    legal: 0.06,
    particle: 0.12,
    honorific: 0.08,
    trade: 0.45,
    initial: 0.15,
    /**
     * Factor for a name token of a listed company that the party's name lacks. The party is then
     * probably another company.
     */
    companyMissing: 1.5,
    /** Weight of the commonest token of the lists. */
    commonest: 0.4,
    /**
     * Rarity in [0, 1] of a word that no list contains. Most such words are common (`Smith`,
     * `Priya`), although the lists cannot show that.
     */
    unknownRarity: 0.6,
    /**
     * Minimum number of listed names from which rarity is computed. A shorter list shows little
     * about rarity.
     */
    namesMin: 20_000,
  },
  spelling: {
    /** Minimum similarity of two tokens. Less similar tokens count as different. */
    similarityMin: 0.6,
    /** Exponent of similarities. Above 1, a misspelt token counts less than linearly. */
    sharpness: 1.6,
    /**
     * Similarity of two tokens with the same canonical spelling. It is the maximum for tokens that
     * are not equal.
     */
    canonical: 0.97,
    /** Extra cost of an edit in a token of fewer than six letters, for each missing letter. */
    shortToken: 0.07,
    /**
     * Similarity of tokens with the same consonant skeleton of at least two consonants: `base`,
     * plus `letters` times the similarity of their letters.
     */
    sameSkeleton: { short: { base: 0.42, letters: 0.5 }, long: { base: 0.56, letters: 0.42 } },
    /**
     * Factor for two words with different consonants, if at least `otherNameCount` listed names
     * have each word. The words are then probably two names (`Andres`, `Andrej`), not a typo.
     */
    otherName: 0.93,
    otherNameCount: 5,
    /**
     * Minimum similarity of two words of one trade (`Air`, `Airways`). Below
     * `containment.similarityMin`, because a longer name with another word of the trade is often
     * another company.
     */
    trade: 0.88,
    /** Similarity of an initial and a token that begins with it. */
    initial: 0.6,
    /** Similarity of `Abdul` and a name that begins with it. */
    abd: 0.8,
    /** Factor for a token that the other name writes as two (`Abd Ullah`, `Abdullah`). */
    compound: 0.97,
  },
  /**
   * Cost of an unmatched token of weight 1 in the party's name and in the entry's name. `conflict`
   * is added if both names have one.
   */
  unmatched: { party: 0.6, entry: 0.25, conflict: 0.9 },
  /** Factor for the score of a weak alias. */
  weakAlias: 0.97,
  evidence: {
    /**
     * Minimum name score from which an equal birth date or country raises the score. Half of a
     * matching name reaches it.
     */
    nameMin: 0.5,
    /** Each of these raises the score by this share of the distance to 1. */
    dateEqual: 0.5,
    dateNear: 0.2,
    yearEqual: 0.25,
    countryShared: 0.1,
    /**
     * Equal document numbers: `documentEqual` if an issuer is unknown, `documentSame` if both
     * issuers are the same country.
     */
    documentEqual: 0.9,
    documentSame: 0.925,
    /** `dateContradicts` and `countryDiffers` are subtracted from the score. */
    dateContradicts: 0.12,
    countryDiffers: 0.02,
  },
  /** Rules for a listed name within a longer name; see `index/containment.ts`. */
  containment: {
    /** Minimum similarity of words with `longWord` letters or more. Shorter words must be equal. */
    similarityMin: 0.9,
    longWord: 5,
    canonical: 0.97,
    /** Minimum letters of two words that the other name joins, and of a whole joined name. */
    joinedLengthMin: 6,
    joinedWholeMin: 8,
    /** A word with fewer letters has a proportionally lower rarity. */
    wholeWord: 4,
    /** Exponent of the similarity of a word that is nearly equal. */
    sharpness: 3,
    /**
     * Minimum sum of the rarities of the matched words. Each rarity is in [0, 1]. A nearly equal
     * word counts less.
     */
    rarityMin: 1.05,
    /** Minimum words of a listed name. A separate rule covers names of one word. */
    wordsMin: 2,
  },
  /** Rules for a listed name with initials; see `index/initials.ts`. */
  initials: {
    /**
     * Rarity that each initial adds. One person in twelve has the same initial, and ln 12 is a
     * quarter of ln 20,000.
     */
    share: 0.25,
    /**
     * Minimum sum of the rarities of the words, counted by entries, and of the shares. With one
     * initial, at most two entries may have the family name. With two initials, at most 42 may
     * have it.
     */
    rarityMin: 1.12,
  },
  /** Names aligned per search, best candidates first. */
  candidatesMax: 150,
  /**
   * If the last candidates have equal scores, the limit is higher: this number divided by the
   * party's token count.
   */
  tiedTokensMax: 1_200,
  /** Hits that one search returns by default. */
  hitsMax: 20,
};

type DeepReadonly<T> = {
  readonly [K in keyof T]: T[K] extends object ? DeepReadonly<T[K]> : T[K];
};

export type MatcherConfig = DeepReadonly<typeof matcherConfig>;
