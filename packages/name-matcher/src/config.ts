/**
 * Every number that decides a party's score, as one versioned object: a screening keeps the
 * version, so that its verdict can be explained after the numbers have changed. Change a number,
 * change `version`. The values were set by measuring (see the README of this service).
 */
export type MatcherConfig = {
  readonly version: string;
  /** One more with each `version`: what a higher one found, a lower one never replaces. */
  readonly revision: number;
  /** Scores at or above `review` are kept for a person to decide, at or above `block` stop. */
  readonly bands: { readonly review: number; readonly block: number };
  readonly words: {
    /** Weight of a word that says little, against 1 for the rarest name. */
    readonly legal: number;
    readonly particle: number;
    readonly honorific: number;
    readonly trade: number;
    readonly initial: number;
    /**
     * A company without its own word is another company: that word, missed, weighs so much more.
     */
    readonly companyMissed: number;
    /** The commonest word of the lists still weighs this much. */
    readonly commonest: number;
    /** As if the lists had at least so many names: keeps rarity sane on a short list. */
    readonly namesMin: number;
  };
  readonly spelling: {
    /** Words less alike than this are different words. */
    readonly similarityMin: number;
    /**
     * Similarities are raised to this power: above 1, a misspelt word counts less than linearly.
     */
    readonly sharpness: number;
    /** Similarity of two words of one canonical spelling; the most that others reach. */
    readonly canonical: number;
    /** An edit counts by so much more for each letter that a word has less than six. */
    readonly shortWord: number;
    /**
     * Words of one skeleton, of two consonants or of more, are this alike, and by so much more as
     * their letters agree.
     */
    readonly sameSkeleton: { readonly short: SkeletonShares; readonly long: SkeletonShares };
    /** Similarity of an initial to a word that begins with it. */
    readonly initial: number;
    /** Similarity of `Abdul` to a name that begins with it. */
    readonly servant: number;
    /** A word written in two (`Abd Ullah`, `Abdullah`) costs this factor. */
    readonly joined: number;
  };
  /** Cost of a left-over word of weight 1, on each side and where both sides have one. */
  readonly leftOver: { readonly person: LeftOverCosts; readonly other: LeftOverCosts };
  /** A weak alias (a nickname, as the lists call it) counts this much of its score. */
  readonly weakAlias: number;
  readonly evidence: {
    /** Under this name score no birth date or country adds anything. */
    readonly nameMin: number;
    /** Shares of the way to 1 that the score goes. */
    readonly dateEqual: number;
    readonly dateNear: number;
    readonly yearEqual: number;
    readonly countryShared: number;
    /** The same number: where one side does not say who issued it, and of one country. */
    readonly documentEqual: number;
    readonly documentSame: number;
    /** Subtracted. */
    readonly dateContradicts: number;
    readonly countryDiffers: number;
  };
  /** Names compared in full, best blocks first. */
  readonly candidatesMax: number;
  /** As many more where the last of them are equal, as this divided by the party's words. */
  readonly tiedWordsMax: number;
  readonly hitsMax: number;
};

type SkeletonShares = { readonly base: number; readonly letters: number };

type LeftOverCosts = {
  readonly party: number;
  readonly entry: number;
  readonly conflict: number;
};

/** The numbers in use, as they were measured; see the README. */
export const matcherConfig: MatcherConfig = {
  version: "2026-11-9",
  revision: 2,
  bands: { review: 0.77, block: 0.93 },
  words: {
    legal: 0.06,
    particle: 0.12,
    honorific: 0.08,
    trade: 0.45,
    initial: 0.15,
    companyMissed: 1.5,
    commonest: 0.4,
    namesMin: 20_000,
  },
  spelling: {
    similarityMin: 0.6,
    sharpness: 1.6,
    canonical: 0.97,
    shortWord: 0.05,
    sameSkeleton: { short: { base: 0.42, letters: 0.5 }, long: { base: 0.56, letters: 0.42 } },
    initial: 0.6,
    servant: 0.8,
    joined: 0.97,
  },
  leftOver: {
    person: { party: 0.6, entry: 0.25, conflict: 0.9 },
    other: { party: 0.6, entry: 0.25, conflict: 0.9 },
  },
  weakAlias: 0.97,
  evidence: {
    nameMin: 0.6,
    dateEqual: 0.5,
    dateNear: 0.2,
    yearEqual: 0.25,
    countryShared: 0.1,
    documentEqual: 0.9,
    documentSame: 0.925,
    dateContradicts: 0.12,
    countryDiffers: 0.02,
  },
  candidatesMax: 150,
  tiedWordsMax: 1_200,
  hitsMax: 20,
};
