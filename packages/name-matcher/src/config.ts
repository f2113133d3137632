/**
 * Every number that decides a score, under a version that a screening stores, so that its verdict
 * can be explained after the numbers have changed. Change a number, change `version`. The values
 * were set by measurement; see the README.
 */
export type MatcherConfig = {
  readonly version: string;
  /** Increases with each `version`: a result of a higher one is not replaced by a lower one's. */
  readonly revision: number;
  /** Thresholds in [0, 1]: at or above `review` a person decides, at or above `block` is a stop. */
  readonly bands: { readonly review: number; readonly block: number };
  readonly tokens: {
    /** Weights by kind, 1 being that of the rarest name. */
    readonly legal: number;
    readonly particle: number;
    readonly honorific: number;
    readonly trade: number;
    readonly initial: number;
    /** Factor of a company's own name token that the party lacks: it is another company. */
    readonly companyMissing: number;
    /** Weight of the commonest token of the lists. */
    readonly commonest: number;
    /** Names that rarity is computed from at least: a short list says little about rarity. */
    readonly namesMin: number;
  };
  readonly spelling: {
    /** Tokens below this similarity are different tokens. */
    readonly similarityMin: number;
    /** Exponent of similarities: above 1, a misspelt token counts less than linearly. */
    readonly sharpness: number;
    /** Similarity of two tokens of one canonical spelling; the most that others reach. */
    readonly canonical: number;
    /** An edit costs so much more for each letter that a token has less than six. */
    readonly shortToken: number;
    /**
     * Similarity of tokens of one consonant skeleton, of two consonants or more: `base`, and
     * `letters` times the similarity of their letters.
     */
    readonly sameSkeleton: { readonly short: SkeletonShares; readonly long: SkeletonShares };
    /** Similarity of an initial to a token that begins with it. */
    readonly initial: number;
    /** Similarity of `Abdul` to a name that begins with it. */
    readonly abd: number;
    /** Factor of a token written as two (`Abd Ullah`, `Abdullah`). */
    readonly compound: number;
  };
  /** Cost of an unmatched token of weight 1, on each side and where both sides have one. */
  readonly unmatched: { readonly person: UnmatchedCosts; readonly other: UnmatchedCosts };
  /** Factor of the score of a weak alias. */
  readonly weakAlias: number;
  readonly evidence: {
    /** Below this name score no birth date or country adds anything. */
    readonly nameMin: number;
    /** Each raises the score by this share of what it lacks to 1. */
    readonly dateEqual: number;
    readonly dateNear: number;
    readonly yearEqual: number;
    readonly countryShared: number;
    /** The same number: of an unknown issuer, and of the same country. */
    readonly documentEqual: number;
    readonly documentSame: number;
    /** Subtracted from the score. */
    readonly dateContradicts: number;
    readonly countryDiffers: number;
  };
  /** Names aligned per search, best candidates first. */
  readonly candidatesMax: number;
  /** Where the last are tied, names up to this number divided by the party's tokens. */
  readonly tiedTokensMax: number;
  /** Hits returned by default. */
  readonly hitsMax: number;
};

type SkeletonShares = { readonly base: number; readonly letters: number };

type UnmatchedCosts = {
  readonly party: number;
  readonly entry: number;
  readonly conflict: number;
};

/** The numbers in use, as measured in the README. */
export const matcherConfig: MatcherConfig = {
  version: "2026-11-9",
  revision: 2,
  bands: { review: 0.77, block: 0.93 },
  tokens: {
    legal: 0.06,
    particle: 0.12,
    honorific: 0.08,
    trade: 0.45,
    initial: 0.15,
    companyMissing: 1.5,
    commonest: 0.4,
    namesMin: 20_000,
  },
  spelling: {
    similarityMin: 0.6,
    sharpness: 1.6,
    canonical: 0.97,
    shortToken: 0.05,
    sameSkeleton: { short: { base: 0.42, letters: 0.5 }, long: { base: 0.56, letters: 0.42 } },
    initial: 0.6,
    abd: 0.8,
    compound: 0.97,
  },
  unmatched: {
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
  tiedTokensMax: 1_200,
  hitsMax: 20,
};
