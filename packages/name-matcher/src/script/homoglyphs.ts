/** Letters of two alphabets that nobody can tell apart by sight; Cyrillic ones in lower case. */
const cyrillicLooks = Object.entries({
  ...{ а: "a", в: "b", е: "e", к: "k", м: "m", н: "h", о: "o", р: "p", с: "c", т: "t", у: "y" },
  ...{ х: "x", і: "i", ј: "j", ѕ: "s", ԁ: "d", ԛ: "q", ԝ: "w", һ: "h", ӏ: "l", ё: "e", ї: "i" },
});
/** Greek capitals look like other letters than their small ones. */
const greekLooks = Object.entries({
  ...{ α: "a", β: "b", ε: "e", η: "n", ι: "i", κ: "k", μ: "u", ν: "v", ο: "o", ρ: "p", τ: "t" },
  ...{ υ: "u", χ: "x", ζ: "z", γ: "y", ω: "w" },
  ...{ Α: "a", Β: "b", Ε: "e", Ζ: "z", Η: "h", Ι: "i", Κ: "k", Μ: "m", Ν: "n", Ο: "o", Ρ: "p" },
  ...{ Τ: "t", Υ: "y", Χ: "x" },
});
const looks: ReadonlyMap<string, string> = new Map([...cyrillicLooks, ...greekLooks]);
const latinOf = (letter: string): string | undefined =>
  looks.get(letter) ?? looks.get(letter.toLowerCase());
const cyrillicOf: ReadonlyMap<string, string> = new Map(
  cyrillicLooks.map(([cyrillic, latin]) => [latin, cyrillic]),
);

const word = /[\p{L}\p{M}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;
const anyLetter = /\p{L}/u;
const cyrillicOrGreek = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/**
 * Reads a word by its look where it mixes alphabets, as no language does: in Latin letters where
 * all of it can be, else in Cyrillic. A word that only looks Latin is read so among Latin words.
 */
export function readByLook(text: string): string {
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

/** A name without a Latin letter as it looks; "" where it does not look Latin altogether. */
export function latinLook(text: string): string {
  if (latin.test(text) || !cyrillicOrGreek.test(text)) return "";
  const letters = [...text];
  if (!letters.every((letter) => !anyLetter.test(letter) || latinOf(letter))) return "";
  return letters.map((letter) => latinOf(letter) ?? letter).join("");
}
