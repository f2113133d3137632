/** Cyrillic letters that resemble Latin ones (Unicode TR39 confusables), in lower case. */
const cyrillicConfusables = Object.entries({
  а: "a",
  в: "b",
  е: "e",
  к: "k",
  м: "m",
  н: "h",
  о: "o",
  р: "p",
  с: "c",
  т: "t",
  у: "y",
  х: "x",
  і: "i",
  ј: "j",
  ѕ: "s",
  ԁ: "d",
  ԛ: "q",
  ԝ: "w",
  һ: "h",
  ӏ: "l",
  ё: "e",
  ї: "i",
});
/**
 * Greek letters that resemble Latin ones. Four capitals are listed too, because they resemble other
 * Latin letters than their lower case does.
 */
const greekConfusables = Object.entries({
  α: "a",
  β: "b",
  ε: "e",
  η: "n",
  ι: "i",
  κ: "k",
  μ: "u",
  ν: "v",
  ο: "o",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
  ζ: "z",
  γ: "y",
  ω: "w",
  Η: "h",
  Μ: "m",
  Ν: "n",
  Υ: "y",
});
const confusables: ReadonlyMap<string, string> = new Map([
  ...cyrillicConfusables,
  ...greekConfusables,
]);
const latinOf = (letter: string): string | undefined =>
  confusables.get(letter) ?? confusables.get(letter.toLowerCase());
const cyrillicOf: ReadonlyMap<string, string> = new Map(
  cyrillicConfusables.map(([cyrillic, latin]) => [latin, cyrillic]),
);

const word = /[\p{L}\p{M}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;
const anyLetter = /\p{L}/u;
const cyrillicOrGreek = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/**
 * Replaces homoglyphs in words that mix alphabets, because no language has such words. If every
 * letter of the word has a Latin homoglyph, the word becomes Latin, else Cyrillic. Next to Latin
 * words, a whole word of homoglyphs becomes Latin too.
 */
export function foldHomoglyphs(text: string): string {
  if (!latin.test(text) || !cyrillicOrGreek.test(text)) return text;
  return text.replace(word, (written) => {
    if (!cyrillicOrGreek.test(written)) return written;
    const letters = [...written];
    if (letters.every((letter) => !cyrillicOrGreek.test(letter) || latinOf(letter))) {
      return letters.map((letter) => latinOf(letter) ?? letter).join("");
    }
    return letters.map((letter) => cyrillicOf.get(letter.toLowerCase()) ?? letter).join("");
  });
}

/**
 * Returns the Latin homoglyphs of a name that has no Latin letters. Returns "" if any letter has
 * none.
 */
export function latinLookalike(text: string): string {
  if (latin.test(text) || !cyrillicOrGreek.test(text)) return "";
  const letters = [...text];
  if (!letters.every((letter) => !anyLetter.test(letter) || latinOf(letter))) return "";
  return letters.map((letter) => latinOf(letter) ?? letter).join("");
}
