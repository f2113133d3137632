import { consonantSkeleton } from "./canonical-spelling.ts";
import type { WordKind } from "./name-words.ts";

/**
 * Under which keys a listed word stands and a party's word is looked up. Two words are one edit
 * apart only if deleting at most one letter of each can make them equal. So each word is kept under
 * itself and under every deletion, as written and in its canonical spelling, and under its
 * consonants with the same grace; a look-up needs no walk.
 */

/** Shorter words are found only as they are: one edit makes any of them any other. */
const editedLengthMin = 4;
/** The same for consonants, which leave more words alike. */
const editedSkeletonMin = 5;

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
/** Keeps consonants from meeting words that have no vowel. */
const skeletonSeed = 0x5bd1e995;

/** FNV-1a of a word from its letter at `from` on, going on from the hash of what is before. */
export function hashWord(word: string, from = 0, before = fnvOffset): number {
  let hash = before;
  for (let at = from; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  }
  return hash >>> 0;
}

/** `hashWord` of two words written as one. */
export function hashJoined(first: string, second: string): number {
  return hashWord(second, 0, hashWord(first));
}

/** `hashWord(joinSpellings(first, second))`. */
export function hashJoinedSpellings(first: string, second: string): number {
  const meets = first.charCodeAt(first.length - 1) === second.charCodeAt(0);
  return hashWord(second, meets ? 1 : 0, hashWord(first));
}

export type SpeltWord = {
  readonly kind: WordKind;
  readonly canonical: string;
  /** See `consonantSkeleton`. */
  readonly skeleton: string;
};

/** The key of all words of a name by their consonants, in any order; without legal forms. */
export function hashWhole(words: readonly SpeltWord[]): number {
  const isLegalAlone = words.every(({ kind }) => kind === "legal");
  // A sum is the same in any order.
  let sum = 0;
  for (const { kind, canonical, skeleton } of words) {
    if (kind === "legal" && !isLegalAlone) continue;
    sum = (sum + hashWord(skeleton === "" ? canonical : skeleton)) >>> 0;
  }
  return sum;
}

/** Fewer consonants than this are those of too many names. */
const squashedMin = 5;

/**
 * The key of words as one, beginning with the one at `from`, by their consonants in a row, of which
 * equal neighbours count once; none of too few.
 */
export function hashConsonants(spellings: readonly string[], from = 0): number | undefined {
  let hash = fnvOffset;
  let last = 0;
  let count = 0;
  for (let turn = 0; turn < spellings.length; turn += 1) {
    const spelling = spellings[(from + turn) % spellings.length] ?? "";
    for (let at = 0; at < spelling.length; at += 1) {
      const letter = spelling.charCodeAt(at);
      if (letter === last || isVowel[letter] === 1) continue;
      hash = Math.imul(hash ^ letter, fnvPrime);
      last = letter;
      count += 1;
    }
  }
  return count < squashedMin ? undefined : hash >>> 0;
}

/** By the code of a letter. */
const isVowel = new Uint8Array(128);
for (const vowel of "aeiou") isVowel[vowel.charCodeAt(0)] = 1;

type Visit = (hash: number) => void;

/** The keys of a word as it is written. */
export function forEachWordHash(word: string, visit: Visit): void {
  forEachDeletion(word, editedLengthMin, fnvOffset, visit);
}

/** The keys of a canonical spelling: of its letters, and of its consonants. */
export function forEachSearchHash(canonical: string, visit: Visit): void {
  forEachDeletion(canonical, editedLengthMin, fnvOffset, visit);
  const skeleton = consonantSkeleton(canonical);
  if (skeleton !== "") forEachDeletion(skeleton, editedSkeletonMin, skeletonSeed, visit);
}

function forEachDeletion(word: string, lengthMin: number, seed: number, visit: Visit): void {
  visit(hashWord(word, 0, seed));
  if (word.length < lengthMin) return;
  let before = seed;
  for (let at = 0; at < word.length; at += 1) {
    const letter = word.charCodeAt(at);
    // Of two equal neighbours either one leaves the same.
    if (letter !== word.charCodeAt(at + 1)) visit(hashWord(word, at + 1, before));
    before = Math.imul(before ^ letter, fnvPrime);
  }
}
