import type { MatcherConfig } from "../config.ts";
import { shortForm, type WordKind } from "../name/words.ts";
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
  if (isServantOf(a, b) || isServantOf(b, a)) return spelling.servant;
  if (digits.test(a.text) || digits.test(b.text)) return 0;
  if (onlyOneIsPatronymic(a.canonical, b.canonical)) return 0;
  const isSame = a.skeleton !== "" && a.skeleton === b.skeleton;
  const { short, long } = spelling.sameSkeleton;
  const { base, letters } = a.skeleton.length >= longSkeleton ? long : short;
  const most = spelling.canonical;
  const least = spelling.similarityMin / most;
  // Less than this by letters, no skeleton brings the similarity up to the least.
  const alike = lettersAlike(a, b, isSame ? Math.min((least - base) / letters, least) : least);
  if (alike === 0) return 0;
  const longest = Math.max(a.canonical.length, b.canonical.length);
  const strict = 1 + spelling.shortWord * Math.max(0, shortWordLength - longest);
  const strictly = Math.max(0, 1 - (1 - alike) * strict);
  const similarity = most * (isSame ? Math.max(strictly, base + letters * strictly) : strictly);
  return similarity < spelling.similarityMin ? 0 : similarity;
}

const shortWordLength = 6;

/**
 * By canonical spelling, or as written where that is one edit: a slip of one letter in a group of
 * letters can make two of one edit.
 */
function lettersAlike(a: Word, b: Word, least: number): number {
  const canonical = spellingSimilarity(a.canonical, b.canonical, least);
  if (!mayBeOneEdit(a.text, b.text)) return canonical;
  return Math.max(canonical, spellingSimilarity(a.text, b.text, Math.max(least, canonical)));
}

/** Whether all but two neighbouring letters are the same: true of any two words one edit apart. */
function mayBeOneEdit(a: string, b: string): boolean {
  const longest = Math.max(a.length, b.length);
  const shortest = Math.min(a.length, b.length);
  if (longest - shortest > 1) return false;
  let same = 0;
  while (same < shortest && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  let back = 1;
  while (
    back <= shortest - same &&
    a.charCodeAt(a.length - back) === b.charCodeAt(b.length - back)
  ) {
    back += 1;
  }
  return same + back - 1 >= longest - 2;
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
