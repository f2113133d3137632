import type { Link } from "../alignment/alignment.ts";
import { spellingSimilarity, wordLengthMax } from "../alignment/spelling-distance.ts";
import type { Word } from "../alignment/word-similarity.ts";
import { hashConsonants } from "../search/keys.ts";
import { canonicalSpelling, joinSpellings } from "./canonical-spelling.ts";
import type { WordKind } from "./words.ts";

/**
 * A name with its spaces in the wrong places, or without any: `Qorvathbinzembling`, `Q o r v a t h
 * Z e m b l i n g`. It is found by the consonants of all its words in a row.
 */

/** Shorter names have the letters of too many others. */
const lettersMin = 8;
/** A name of more words is written as one by nobody. */
const wordsMax = 8;
/** Less alike than this are other names: of names in one word or in letters, and of all others. */
const leastAlike = { squashed: 0.9, apart: 0.999 };
/** Words of one letter that a name has no more of than this, when they are initials. */
const initialsMax = 2;

type SpeltWord = { readonly kind: WordKind; readonly canonical: string };

/** The canonical spelling of all words as one; "" where too short or too long to be compared. */
export function squashedSpelling(words: readonly string[]): string {
  const text = words.join("");
  return text.length < lettersMin || text.length > wordLengthMax ? "" : canonicalSpelling(text);
}

/** The key of a party's name as one word; none where that has too few consonants. */
export function squashedKey(squashed: string): number | undefined {
  return hashConsonants([squashed]);
}

/** The keys of a listed name as one word, with and without its light words. */
export function squashedKeys(canonical: readonly string[], kinds: readonly WordKind[]): number[] {
  const keys: number[] = [];
  const keep = (words: readonly string[]): void => {
    const key = isSquashable(words) ? hashConsonants(words) : undefined;
    if (key !== undefined) keys.push(key);
  };
  keep(canonical);
  if (kinds.some(isLight)) keep(canonical.filter((_, at) => !isLight(kinds[at] ?? "name")));
  return keys;
}

const isLight = (kind: WordKind): boolean => kind === "particle" || kind === "legal";
const isSquashable = ({ length }: readonly unknown[]): boolean => length >= 2 && length <= wordsMax;

/** The words of a name that may be written as one: with the light ones between names, without. */
function squashable<T extends SpeltWord>(words: readonly T[]): (readonly T[])[] {
  const own = words.filter(({ kind }) => !isLight(kind));
  const all = own.length === words.length ? [words] : [words, own];
  return all.filter(isSquashable);
}

/** All words beginning with each of them. */
function turned<T extends SpeltWord>(words: readonly T[]): (readonly T[])[] {
  return squashable(words).flatMap((some) =>
    some.map((_, at) => [...some.slice(at), ...some.slice(0, at)]),
  );
}

/** All of a party's name taken for all of a listed one; none where their letters are others. */
export function squashedLink(
  squashed: string,
  party: readonly Word[],
  entry: readonly Word[],
  joinedShare: number,
): Link | undefined {
  const letters = party.filter(({ text }) => text.length === 1).length;
  const isSquashed = party.length === 1 || letters > initialsMax;
  const least = isSquashed ? leastAlike.squashed : leastAlike.apart;
  let best = 0;
  let words: readonly Word[] = [];
  for (const some of turned(entry)) {
    const whole = some.map(({ canonical }) => canonical).reduce(joinSpellings);
    if (whole.length > wordLengthMax) continue;
    const alike = spellingSimilarity(squashed, whole, least);
    if (alike <= best) continue;
    best = alike;
    words = some;
  }
  if (best === 0) return undefined;
  const weight = words.reduce((sum, word) => sum + word.weight, 0);
  const bits = entry.reduce((all, word, at) => (words.includes(word) ? all | (1 << at) : all), 0);
  const similarity = best * joinedShare;
  return { party: 2 ** party.length - 1, entry: bits, similarity, weight, rank: weight };
}
