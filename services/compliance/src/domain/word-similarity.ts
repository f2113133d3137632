import type { MatcherConfig } from "./matcher-config.ts";
import type { WordKind } from "./name-words.ts";
import { editDistance } from "./spelling.ts";

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
  /** `soundKey(text)`; of a legal form, its short form. */
  readonly sound: string;
};

/** Words of the same sound are this alike, and by so much more as their letters agree. */
const sameSound = {
  short: { base: 0.42, letters: 0.5 },
  long: { base: 0.56, letters: 0.42 },
};
const longSoundKey = 3;

/** Keeps a limit that is a whole number but for the last bit from losing one edit. */
const rounding = 1e-9;

/** Similarity of two words by letters and by sound, in [0, 1]; 0 below the configured least. */
export function wordSimilarity(a: Word, b: Word, { spelling }: MatcherConfig): number {
  if (a.text === b.text) return 1;
  if (a.kind === "legal" && b.kind === "legal") return a.sound === b.sound ? 1 : 0;
  if (a.text.length === 1 || b.text.length === 1) {
    return a.text.charCodeAt(0) === b.text.charCodeAt(0) ? spelling.initial : 0;
  }
  const sound = a.sound !== "" && a.sound === b.sound ? soundOf(a.sound) : undefined;
  if (sound === undefined) return letterSimilarity(a.text, b.text, spelling.similarityMin);
  // Less than this by letters, no sound brings the similarity up to the least.
  const lettersMin = (spelling.similarityMin - sound.base) / sound.letters;
  const letters = letterSimilarity(a.text, b.text, Math.min(lettersMin, spelling.similarityMin));
  return letters === 0 ? 0 : Math.max(letters, sound.base + sound.letters * letters);
}

function soundOf(key: string): { base: number; letters: number } {
  return key.length >= longSoundKey ? sameSound.long : sameSound.short;
}

/** The share of letters that no edit touches; 0 below `least`. */
export function letterSimilarity(a: string, b: string, least: number): number {
  const longest = Math.max(a.length, b.length);
  const limit = Math.floor(longest * (1 - least) + rounding);
  const distance = editDistance(a, b, limit);
  return distance > limit ? 0 : 1 - distance / longest;
}
