import type { MatcherConfig } from "../config.ts";
import { abbreviatedLegalForm, isSameTrade, type TokenKind } from "../tokens/token-kinds.ts";
import { spellingSimilarity } from "./spelling-distance.ts";

/** A token of a name. The rarest token of the lists has weight 1. */
export type Token = {
  readonly text: string;
  readonly kind: TokenKind;
  /** Weight if both names have the token, or if only the party's name has the token. */
  readonly weight: number;
  /** Weight if only the entry's name has the token. */
  readonly missingWeight: number;
  /** Weight if the other name has a different token in its place. */
  readonly conflictWeight: number;
  /** The rarity of a name or trade word among the listed names, in [0, 1]; 0 for other kinds. */
  readonly rarity: number;
  /**
   * The number of listed names with this canonical spelling. 0 for kinds other than `name` and
   * `trade`.
   */
  readonly count: number;
  /** The result of `canonicalSpelling(text)`. */
  readonly canonical: string;
  /** The result of `consonantSkeleton(canonical)`. */
  readonly skeleton: string;
};

/**
 * Returns the similarities of an entry's token to the party's tokens, in the order of the party's
 * tokens.
 */
export type Similarities = (entry: Token) => readonly number[];

/** Caches a value by token, because the names of one search share many tokens. */
export function oncePerToken<T>(compute: (token: Token) => T): (token: Token) => T {
  const known = new Map<Token, T>();
  return (token) => {
    let value = known.get(token);
    if (value === undefined) {
      value = compute(token);
      known.set(token, value);
    }
    return value;
  };
}

const longSkeleton = 3;

const digits = /^\d+$/;
const patronymic = /(?:vic|vna)$/;

/** Compares letters and consonants. Returns a value in [0, 1], and 0 below `similarityMin`. */
export function tokenSimilarity(a: Token, b: Token, { spelling }: MatcherConfig): number {
  if (a.text === b.text) return 1;
  if (a.kind === "legal" && b.kind === "legal") {
    return abbreviatedLegalForm(a.text) === abbreviatedLegalForm(b.text) ? 1 : 0;
  }
  if (a.text.length === 1 || b.text.length === 1) return initialSimilarity(a, b, spelling.initial);
  if (a.canonical === b.canonical) return spelling.canonical;
  if (isAbdOf(a, b) || isAbdOf(b, a)) return spelling.abd;
  if (digits.test(a.text) || digits.test(b.text)) return 0;
  if (onlyOneIsPatronymic(a.canonical, b.canonical)) return 0;
  const isSame = a.skeleton !== "" && a.skeleton === b.skeleton;
  const { short, long } = spelling.sameSkeleton;
  const { base, letters } = a.skeleton.length >= longSkeleton ? long : short;
  const most = spelling.canonical;
  const least = spelling.similarityMin / most;
  // The last argument is the lowest similarity of letters with which an equal skeleton still
  // reaches the minimum.
  const alike = lettersAlike(a, b, isSame ? Math.min((least - base) / letters, least) : least);
  const longest = Math.max(a.canonical.length, b.canonical.length);
  const editWeight = 1 + spelling.shortToken * Math.max(0, shortLength - longest);
  const scaled = Math.max(0, 1 - (1 - alike) * editWeight);
  const similarity = most * (isSame ? Math.max(scaled, base + letters * scaled) : scaled);
  const isOther = !isSame && Math.min(a.count, b.count) >= spelling.otherNameCount;
  const weighted = isOther ? similarity * spelling.otherName : similarity;
  const byLetters = weighted < spelling.similarityMin ? 0 : weighted;
  const isTrade = a.kind === "trade" && b.kind === "trade" && isSameTrade(a.text, b.text);
  return isTrade ? Math.max(byLetters, spelling.trade) : byLetters;
}

const shortLength = 6;

/**
 * Compares canonical spellings. If the written forms are one edit apart, compares these too,
 * because a typo within a group of letters can change two letters of the canonical spelling.
 */
function lettersAlike(a: Token, b: Token, least: number): number {
  const canonical = spellingSimilarity(a.canonical, b.canonical, least);
  if (!mayBeOneEdit(a.text, b.text)) return canonical;
  return Math.max(canonical, spellingSimilarity(a.text, b.text, Math.max(least, canonical)));
}

/**
 * True if all letters except two adjacent ones are equal. Any two tokens one edit apart pass this
 * quick check.
 */
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

/**
 * Compares an initial with a token, in persons' names only. A company's single letters are words of
 * their own.
 */
function initialSimilarity(a: Token, b: Token, initial: number): number {
  if (a.kind !== "initial" && b.kind !== "initial") return 0;
  return a.text.charCodeAt(0) === b.text.charCodeAt(0) ? initial : 0;
}

const abd = /^abd[aeou]?l?$/;

/** `Abdul` alone abbreviates every compound that `tokenizer.ts` builds. */
function isAbdOf(a: Token, b: Token): boolean {
  return b.text.startsWith("abd") && abd.test(a.text);
}

/** `Alekseev` is a family name, but `Alekseevich` means the son of an Aleksey. */
function onlyOneIsPatronymic(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length < patronymicMin || !patronymic.test(long)) return false;
  return long.startsWith(short.slice(0, -1));
}

const patronymicMin = 2;
