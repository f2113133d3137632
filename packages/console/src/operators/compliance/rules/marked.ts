/** A part of a name. `isAlike` is true if the part matches a word of the compared name. */
export type Stretch = { readonly text: string; readonly isAlike: boolean };

/**
 * Splits a name into matching and other parts. `words` are in the matcher's form: Latin, lower
 * case, no diacritics. If the matcher transformed a word further, that word stays unmarked.
 */
export function markedName(name: string, words: readonly string[]): Stretch[] {
  const wanted = new Set(words.flatMap((word) => plain(word).split(" ")));
  return name
    .split(/(\s+)/)
    .filter((text) => text !== "")
    .map((text) => ({ text, isAlike: wanted.has(plain(text)) }));
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}|[^\p{L}\p{N}\s]/gu, "")
    .toLocaleLowerCase("en")
    .trim();
}
