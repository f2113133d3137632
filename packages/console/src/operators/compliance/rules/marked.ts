/** A stretch of a name, and whether it was found on the other side. */
export type Stretch = { readonly text: string; readonly isAlike: boolean };

/**
 * A name cut into words that were found on the other side and the rest. `words` are written by the
 * matcher: Latin, lower case, no diacritics; a word that it wrote otherwise stays unmarked.
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
