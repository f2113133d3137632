import { joinedLengthMax } from "./tokens.ts";

/** One letter is an initial, and no half of a word. */
const halfLengthMin = 2;

/**
 * Places of two words that may be one on the other side (`Abd Ullah`, `Abdullah`): neighbours, and
 * the last with the first, since a list writes `HAMDAN, Usama` for whom another calls
 * `Usamahamdan`.
 */
export function neighbours(
  words: readonly { readonly text: string }[],
): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  if (words.length < 2) return pairs;
  for (let first = 0; first < words.length; first += 1) {
    const second = (first + 1) % words.length;
    if (mayBeOne(words[first]?.text.length ?? 0, words[second]?.text.length ?? 0))
      pairs.push([first, second]);
  }
  return pairs;
}

/**
 * Whether two neighbours of these lengths are long enough, and together short enough, to be written
 * as one word.
 */
export function mayBeOne(one: number, two: number): boolean {
  return one >= halfLengthMin && two >= halfLengthMin && one + two <= joinedLengthMax;
}

/** Shorter beginnings and ends of a word are in too many words. */
const partLengthMin = 4;

/** The beginnings and ends of a word that may be two written as one, with a slip in either. */
export function partsOfJoined(word: string): string[] {
  const parts: string[] = [];
  for (let at = partLengthMin; at <= word.length - partLengthMin; at += 1) {
    parts.push(word.slice(0, at), word.slice(at));
  }
  return parts;
}
