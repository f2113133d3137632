import type { MatcherConfig } from "./matcher-config.ts";
import { shortForm, type WordKind } from "./name-words.ts";
import { spellingSimilarity } from "./spelling-distance.ts";

/** A word of a name as it is aligned. */
export type Word = {
  readonly text: string;
  readonly kind: WordKind;
  /** What it says when both names have it, or the party alone: 1 for the rarest. */
  readonly weight: number;
  /** What it says when the entry alone has it. */
  readonly missed: number;
  /** What it says when the other name has another word in its place. */
  readonly apart: number;
  /** `canonicalSpelling(text)`. */
  readonly canonical: string;
  /** `consonantSkeleton(canonical)`. */
  readonly skeleton: string;
};

/** Words of one skeleton are this alike, and by so much more as their letters agree. */
const sameSkeleton = {
  short: { base: 0.42, letters: 0.5 },
  long: { base: 0.56, letters: 0.42 },
};
const longSkeleton = 3;

const digits = /^\d+$/;
const patronymic = /(?:vic|vna)$/;

/** Similarity of two words by letters and by sound, in [0, 1]; 0 below the configured least. */
export function wordSimilarity(a: Word, b: Word, { spelling }: MatcherConfig): number {
  if (a.text === b.text) return 1;
  if (a.kind === "legal" && b.kind === "legal") {
    return shortForm(a.text) === shortForm(b.text) ? 1 : 0;
  }
  if (a.text.length === 1 || b.text.length === 1) return initialSimilarity(a, b, spelling.initial);
  if (a.canonical === b.canonical) return spelling.canonical;
  if (isServantOf(a, b) || isServantOf(b, a)) return spelling.initial;
  if (digits.test(a.text) || digits.test(b.text)) return 0;
  if (onlyOneIsPatronymic(a.canonical, b.canonical)) return 0;
  const most = spelling.canonical;
  if (a.skeleton === "" || a.skeleton !== b.skeleton) {
    return most * lettersAlike(a, b, spelling.similarityMin / most);
  }
  const { base, letters } =
    a.skeleton.length >= longSkeleton ? sameSkeleton.long : sameSkeleton.short;
  // Less than this by letters, no skeleton brings the similarity up to the least.
  const least = Math.min((spelling.similarityMin / most - base) / letters, spelling.similarityMin);
  const alike = lettersAlike(a, b, least);
  return alike === 0 ? 0 : most * Math.max(alike, base + letters * alike);
}

/** By canonical spelling or as written, whichever is closer: a slip of one letter in a group of
 * letters can make two of one edit. */
function lettersAlike(a: Word, b: Word, least: number): number {
  const canonical = spellingSimilarity(a.canonical, b.canonical, least);
  return Math.max(canonical, spellingSimilarity(a.text, b.text, Math.max(least, canonical)));
}

/** An initial stands for a word of a person only: a company's letters are its name. */
function initialSimilarity(a: Word, b: Word, initial: number): number {
  if (a.kind !== "initial" && b.kind !== "initial") return 0;
  return a.text.charCodeAt(0) === b.text.charCodeAt(0) ? initial : 0;
}

const servant = /^abd[aeou]?l?$/;

/** `Abdul` alone is the beginning of any of the names that `name-tokens.ts` makes whole. */
function isServantOf(a: Word, b: Word): boolean {
  return servant.test(a.text) && b.text.startsWith("abd");
}

/** `Alekseev` is a family name, `Alekseevich` the son of an Aleksey. */
function onlyOneIsPatronymic(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length < patronymicMin || !patronymic.test(long)) return false;
  return long.startsWith(short.slice(0, -1));
}

const patronymicMin = 2;
