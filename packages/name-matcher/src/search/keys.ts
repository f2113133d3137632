import { consonantSkeleton } from "../name/canonical-spelling.ts";
import type { WordKind } from "../name/words.ts";

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

const fnvOffset = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;
/** Keeps consonants from meeting words that have no vowel. */
const skeletonSeed = 0x5bd1e995;

/**
 * FNV-1a of a word from its letter at `from` on, going on from the hash of what is before. All
 * hashes here are signed, which the engine keeps as plain integers instead of boxing half of them.
 */
export function hashWord(word: string, from = 0, before = fnvOffset): number {
  let hash = before;
  for (let at = from; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  }
  return hash;
}

/** `hashWord(joinSpellings(first, second))`, of the hash of the first. */
export function hashJoinedSpellings(first: string, firstHash: number, second: string): number {
  const meets = first.charCodeAt(first.length - 1) === second.charCodeAt(0);
  return hashWord(second, meets ? 1 : 0, firstHash);
}

/** The share that a word's consonants have in the key of a whole name; see `wholeKey`. */
export function hashShare(canonical: string, skeleton: string): number {
  return hashWord(skeleton === "" ? canonical : skeleton);
}

/**
 * The key of all words of a name by their consonants, in any order; without legal forms. Of each
 * word its kind and its share are given.
 */
export function wholeKey(kinds: readonly WordKind[], shares: readonly number[]): number {
  const isLegalAlone = kinds.every((kind) => kind === "legal");
  // A sum is the same in any order.
  let sum = 0;
  for (let at = 0; at < shares.length; at += 1) {
    if (kinds[at] !== "legal" || isLegalAlone) sum = (sum + (shares[at] ?? 0)) | 0;
  }
  return sum;
}

/** Fewer consonants than this are those of too many names. */
const squashedMin = 5;
/** Longer than the consonants of any words that are compared as one. */
const ring = new Uint8Array(1024);

/**
 * The key of words as one by their consonants in a ring, of which equal neighbours count once: it
 * is the same whichever of the words is first. None of too few.
 */
export function hashConsonants(spellings: readonly string[]): number | undefined {
  let count = 0;
  for (const spelling of spellings) {
    for (let at = 0; at < spelling.length && count < ring.length; at += 1) {
      const letter = spelling.charCodeAt(at);
      if (isVowel[letter] === 1 || (count > 0 && letter === ring[count - 1])) continue;
      ring[count] = letter;
      count += 1;
    }
  }
  if (count > 1 && ring[count - 1] === ring[0]) count -= 1;
  if (count < squashedMin) return undefined;
  let [first, second] = [ring[count - 2] ?? 0, ring[count - 1] ?? 0];
  let sum = 0;
  for (let at = 0; at < count; at += 1) {
    const third = ring[at] ?? 0;
    sum = (sum + hashThree(first, second, third)) | 0;
    [first, second] = [second, third];
  }
  return sum;
}

function hashThree(first: number, second: number, third: number): number {
  const two = Math.imul(Math.imul(fnvOffset ^ first, fnvPrime) ^ second, fnvPrime);
  const three = Math.imul(two ^ third, fnvPrime);
  // The sum of plain hashes would keep what FNV leaves in their low bits.
  return Math.imul(three ^ (three >>> 15), skeletonSeed);
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
