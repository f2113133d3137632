import { consonantSkeleton } from "../tokens/canonical-spelling.ts";
import { concatenations, type TokenKind } from "../tokens/token-kinds.ts";

/*
 * Blocking keys of tokens: a deletion neighbourhood, as in SymSpell. Two tokens are one edit apart
 * only if deleting at most one letter of each can make them equal. So each is stored under itself
 * and every deletion, in its written form, its canonical spelling and its consonants.
 */

/**
 * The minimum letters of a token that is found with an edit. Shorter tokens must be equal, because
 * one edit turns many short words into others.
 */
const editedLengthMin = 4;
/**
 * The minimum consonants of a skeleton that is found with an edit. Many tokens share a shorter
 * skeleton.
 */
const editedSkeletonMin = 5;

const fnvOffset = 0x811c9dc5 | 0;
const fnvPrime = 0x01000193;
/** Keeps the keys of skeletons different from the keys of tokens without vowels. */
const skeletonSeed = 0x5bd1e995;

/**
 * Hashes a token's letters from position `from` on with 32-bit FNV-1a. `before` is the hash of the
 * preceding letters. Hashes are signed, because V8 stores signed ones as plain integers but
 * allocates memory for half of the unsigned ones.
 */
export function hashToken(word: string, from = 0, before = fnvOffset): number {
  let hash = before;
  for (let at = from; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  }
  return hash;
}

/** Equals `hashToken(concatSpellings(first, second))`, computed from the hash of `first`. */
export function hashConcatenated(first: string, firstHash: number, second: string): number {
  const meets = first.charCodeAt(first.length - 1) === second.charCodeAt(0);
  return hashToken(second, meets ? 1 : 0, firstHash);
}

/** Returns a token's contribution to `tokenSetKey`. */
export function hashSkeleton(canonical: string, skeleton: string): number {
  return hashToken(skeleton === "" ? canonical : skeleton);
}

/** The key of a name's tokens by their consonants, in any order and without legal forms. */
export function tokenSetKey(
  kinds: readonly TokenKind[],
  skeletonHashes: readonly number[],
): number {
  const isLegalAlone = kinds.every((kind) => kind === "legal");
  // A sum, because it does not depend on the order of the tokens.
  let sum = 0;
  for (let at = 0; at < skeletonHashes.length; at += 1) {
    if (kinds[at] !== "legal" || isLegalAlone) sum = (sum + (skeletonHashes[at] ?? 0)) | 0;
  }
  return sum;
}

/**
 * Returns the keys of a listed name joined to one word, with and without particles and legal forms.
 */
export function concatenationKeys(
  canonical: readonly string[],
  kinds: readonly TokenKind[],
): number[] {
  return concatenations(canonical, kinds)
    .map(consonantRingKey)
    .filter((key) => key !== undefined);
}

/** The minimum consonants of a ring key. Too many names share fewer consonants. */
const ringMin = 5;
/** The buffer for consonants. It is longer than any name that is compared as one word. */
const ring = new Uint8Array(1024);

/**
 * Returns a key of the consonants of all spellings, read as a ring. Equal adjacent consonants count
 * once. The key is the same whichever spelling comes first. Returns `undefined` for fewer than
 * `ringMin` consonants.
 */
export function consonantRingKey(spellings: readonly string[]): number | undefined {
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
  if (count < ringMin) return undefined;
  let [first, second] = [ring[count - 2] ?? 0, ring[count - 1] ?? 0];
  let sum = 0;
  for (let at = 0; at < count; at += 1) {
    const third = ring[at] ?? 0;
    sum = (sum + hashTrigram(first, second, third)) | 0;
    [first, second] = [second, third];
  }
  return sum;
}

function hashTrigram(first: number, second: number, third: number): number {
  const two = Math.imul(Math.imul(fnvOffset ^ first, fnvPrime) ^ second, fnvPrime);
  const three = Math.imul(two ^ third, fnvPrime);
  // Mixes the hash before it is added, because plain FNV hashes have regular low bits.
  return Math.imul(three ^ (three >>> 15), skeletonSeed);
}

/** Indexed by the code of a letter. */
const isVowel = new Uint8Array(128);
for (const vowel of "aeiou") isVowel[vowel.charCodeAt(0)] = 1;

type Visit = (hash: number) => void;

/** Visits the keys of a token as written. */
export function forEachTokenKey(word: string, visit: Visit): void {
  forEachDeletion(word, editedLengthMin, fnvOffset, visit);
}

/** Visits the keys of a canonical spelling's letters. */
export function forEachLetterKey(canonical: string, visit: Visit): void {
  forEachDeletion(canonical, editedLengthMin, fnvOffset, visit);
}

/** Visits the keys of a canonical spelling, for its letters and for its consonants. */
export function forEachSpellingKey(canonical: string, visit: Visit): void {
  forEachLetterKey(canonical, visit);
  const skeleton = consonantSkeleton(canonical);
  if (skeleton !== "") forEachDeletion(skeleton, editedSkeletonMin, skeletonSeed, visit);
}

function forEachDeletion(word: string, lengthMin: number, seed: number, visit: Visit): void {
  visit(hashToken(word, 0, seed));
  if (word.length < lengthMin) return;
  let before = seed;
  for (let at = 0; at < word.length; at += 1) {
    const letter = word.charCodeAt(at);
    // Deleting either of two equal adjacent letters gives the same text.
    if (letter !== word.charCodeAt(at + 1)) visit(hashToken(word, at + 1, before));
    before = Math.imul(before ^ letter, fnvPrime);
  }
}
