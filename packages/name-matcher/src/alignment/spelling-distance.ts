import { spellingLengthMax } from "../tokens/tokenizer.ts";

/** The cost of a full edit. The unit of all costs is a twentieth of an edit. */
export const editCost = 20;
const costs = { closeVowels: 8, vowels: 10, vowelAdded: 12, relatedConsonants: 10, hAdded: 10 };

const letterA = "a".charCodeAt(0);
const letterCount = 26;
const closeVowels = "ae ei ou ao iu";
/** Pairs of consonants that romanise the same letter or sound alike. */
const relatedConsonants = "ck cs ch sz hk hg bp dt gk vf vb jg jz ji jc zc gq";

const replacement = replacementCosts();
const added = new Uint8Array(letterCount).fill(editCost);
for (const vowel of "aeiou") added[vowel.charCodeAt(0) - letterA] = costs.vowelAdded;
added["h".charCodeAt(0) - letterA] = costs.hAdded;

function replacementCosts(): Uint8Array {
  const table = new Uint8Array(letterCount * letterCount).fill(editCost);
  const set = (a: string, b: string, cost: number): void => {
    const [x, y] = [a.charCodeAt(0) - letterA, b.charCodeAt(0) - letterA];
    table[x * letterCount + y] = cost;
    table[y * letterCount + x] = cost;
  };
  for (const a of "aeiou") for (const b of "aeiou") set(a, b, costs.vowels);
  for (const [a = "", b = ""] of closeVowels.split(" ")) set(a, b, costs.closeVowels);
  for (const [a = "", b = ""] of relatedConsonants.split(" ")) set(a, b, costs.relatedConsonants);
  return table;
}

/**
 * Returns the cost of replacing one letter by another. Letters are given as distances from `a`.
 * Digits and letters of other scripts are never similar.
 */
function replaceCost(a: number, b: number): number {
  if (a === b) return 0;
  if (b < 0 || b >= letterCount) return editCost;
  return replacement[a * letterCount + b] ?? editCost;
}

const addCost = (letter: number): number => added[letter] ?? editCost;

/** For each letter, a bit set of the letters that can replace it at this cost or less. */
function lettersAt(cost: number): Uint32Array {
  return Uint32Array.from({ length: letterCount }, (_, letter) => {
    let bits = 0;
    for (let other = 0; other < letterCount; other += 1) {
      if (other !== letter && (replacement[letter * letterCount + other] ?? editCost) <= cost) {
        bits |= 1 << other;
      }
    }
    return bits;
  });
}

const closeTo = lettersAt(costs.closeVowels);
const relatedTo = lettersAt(costs.relatedConsonants);

/** Returns a bit set of the letters from `a` to `z`. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at) - letterA;
    if (letter >= 0 && letter < letterCount) bits |= 1 << letter;
  }
  return bits;
}

/**
 * Returns a lower bound of the distance: each letter that the other text lacks must be replaced or
 * deleted. This bound makes most distance tables unnecessary.
 */
function leastCost(from: number, to: number): number {
  let cost = 0;
  for (let left = from & ~to; left !== 0; left &= left - 1) {
    const letter = 31 - Math.clz32(left & -left);
    if ((to & (closeTo[letter] ?? 0)) !== 0) cost += costs.closeVowels;
    else if ((to & (relatedTo[letter] ?? 0)) !== 0) cost += costs.relatedConsonants;
    else cost += addCost(letter);
  }
  return cost;
}

/**
 * Creates a row of the distance table. Three rows are reused for all comparisons, because
 * allocation takes most of the time.
 */
const tableRow = (): Uint16Array => new Uint16Array(spellingLengthMax + 1);
const tableRows = [tableRow(), tableRow(), tableRow()] as const;

/**
 * Returns the Damerau-Levenshtein distance of two canonical spellings, in twentieths of an edit.
 * The variant is optimal string alignment: an edit inserts, deletes or replaces a letter, or swaps
 * two letters. Edits that are typical of romanisation cost less. Returns `limit + 1` as soon as the
 * distance exceeds `limit`.
 */
export function spellingDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) * costs.hAdded > limit) return limit + 1;
  const [ours, theirs] = [lettersOf(a), lettersOf(b)];
  if (leastCost(ours, theirs) > limit || leastCost(theirs, ours) > limit) return limit + 1;
  let [beforeLast, last, row] = tableRows;
  last[0] = 0;
  for (let j = 1; j <= b.length; j += 1) {
    last[j] = (last[j - 1] ?? 0) + (j === 1 ? editCost : addCost(b.charCodeAt(j - 1) - letterA));
  }
  for (let i = 1; i <= a.length; i += 1) {
    if (fillRow(a, b, i, beforeLast, last, row) > limit) return limit + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? 0, limit + 1);
}

/** Fills one row of the table and returns its lowest value. */
function fillRow(
  a: string,
  b: string,
  i: number,
  beforeLast: Uint16Array,
  last: Uint16Array,
  row: Uint16Array,
): number {
  const letter = a.charCodeAt(i - 1) - letterA;
  const before = i > 1 ? a.charCodeAt(i - 2) - letterA : -1;
  const deleteCost = addCost(letter);
  // An additional vowel costs less within a word, but not at its start, where romanisations do not
  // add one (`Mattel`, `Emmatel`).
  let left = (last[0] ?? 0) + (i === 1 ? editCost : deleteCost);
  row[0] = left;
  let least = left;
  for (let j = 1; j <= b.length; j += 1) {
    const other = b.charCodeAt(j - 1) - letterA;
    const replaced = (last[j - 1] ?? 0) + replaceCost(letter, other);
    const deleted = (last[j] ?? 0) + deleteCost;
    left = Math.min(replaced, deleted, left + addCost(other));
    if (j > 1 && before === other && letter === b.charCodeAt(j - 2) - letterA) {
      left = Math.min(left, (beforeLast[j - 2] ?? 0) + editCost);
    }
    row[j] = left;
    least = Math.min(least, left);
  }
  return least;
}

/**
 * Returns the similarity of two spellings in [0, 1]: 1 minus the distance divided by the longer
 * length. Returns 0 for a similarity below `least`.
 */
export function spellingSimilarity(a: string, b: string, least: number): number {
  const longest = Math.max(a.length, b.length) * editCost;
  const limit = Math.floor(longest * (1 - least) + rounding);
  const distance = spellingDistance(a, b, limit);
  return distance > limit ? 0 : 1 - distance / longest;
}

/**
 * Added to a limit before rounding down, because floating point may give a value just below a whole
 * number.
 */
const rounding = 1e-9;
