/** Letters of two alphabets that nobody can tell apart by sight, lower case. */
const looks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ а: "a", в: "b", е: "e", к: "k", м: "m", н: "h", о: "o", р: "p", с: "c", т: "t", у: "y" },
    ...{ х: "x", і: "i", ј: "j", ѕ: "s", ԁ: "d", ԛ: "q", ԝ: "w", һ: "h", ӏ: "l", ё: "e", ї: "i" },
    ...{ α: "a", β: "b", ε: "e", η: "h", ι: "i", κ: "k", μ: "m", ν: "v", ο: "o", ρ: "p", τ: "t" },
    ...{ υ: "u", χ: "x", ζ: "z", γ: "y" },
  }),
);
const latinOf = (letter: string): string | undefined => looks.get(letter);
const cyrillicOf: ReadonlyMap<string, string> = new Map(
  [...looks].filter(([letter]) => /\p{Script=Cyrillic}/u.test(letter)).map(([c, l]) => [l, c]),
);

const word = /[\p{L}\p{M}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;
const cyrillicOrGreek = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/**
 * Reads a word by its look where it mixes alphabets, as no language does: in Latin letters where
 * all of it can be, else in Cyrillic. A word that only looks Latin is read so among Latin words.
 * The text is in lower case.
 */
export function readByLook(text: string): string {
  if (!latin.test(text) || !cyrillicOrGreek.test(text)) return text;
  return text.replace(word, (written) => {
    if (!cyrillicOrGreek.test(written)) return written;
    const letters = [...written];
    if (letters.every((letter) => !cyrillicOrGreek.test(letter) || looks.has(letter))) {
      return letters.map((letter) => latinOf(letter) ?? letter).join("");
    }
    return letters.map((letter) => cyrillicOf.get(letter) ?? letter).join("");
  });
}
