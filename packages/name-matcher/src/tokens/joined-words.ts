import { concatSpellings } from "./canonical-spelling.ts";
import { adjacentPairs } from "./tokenizer.ts";

type Word = { readonly text: string; readonly canonical: string };

/** Two adjacent words joined, as written and by canonical spelling, with their positions. */
export type JoinedWords = Word & { readonly first: number; readonly second: number };

/**
 * Joins each pair of adjacent words, because the other name may write the pair as one word; see
 * `adjacentPairs`.
 */
export function joinedWords(words: readonly Word[]): JoinedWords[] {
  const joined: JoinedWords[] = [];
  for (const [first, second] of adjacentPairs(words, ({ text }) => text)) {
    const [one, two] = [words[first], words[second]];
    if (one === undefined || two === undefined) continue;
    const canonical = concatSpellings(one.canonical, two.canonical);
    joined.push({ first, second, text: one.text + two.text, canonical });
  }
  return joined;
}
