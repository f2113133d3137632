import { joinedLengthMax } from "./name-tokens.ts";

/** One letter is an initial, and no half of a word. */
const halfLengthMin = 2;

/**
 * Places of two words that may be one on the other side (`Abd Ullah`, `Abdullah`): neighbours, and
 * the last with the first, since a list writes `HAMDAN, Usama` for whom another calls
 * `Usamahamdan`.
 */
export function neighbours(tokens: readonly string[]): (readonly [number, number])[] {
  if (tokens.length < 2) return [];
  return tokens
    .map((_, at) => [at, (at + 1) % tokens.length] as const)
    .filter(([first, second]) => {
      const [one, two] = [tokens[first]?.length ?? 0, tokens[second]?.length ?? 0];
      return Math.min(one, two) >= halfLengthMin && one + two <= joinedLengthMax;
    });
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
