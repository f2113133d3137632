/**
 * Romanisation, for payment methods that carry Latin letters only. Cyrillic follows ICAO Doc 9303,
 * part 3, section 6.B; Greek follows ELOT 743 (ISO 843, type 2). The language of a text is unknown,
 * so ICAO's exceptions for single languages are left out, except for letters that only Ukrainian
 * has.
 */

/** Latin letters that Unicode does not decompose, and apostrophes that are letters. */
const latinRows = [
  "ß ss ẞ SS æ ae Æ AE œ oe Œ OE ø o Ø O đ d Đ D ð d Ð D þ th Þ TH ħ h Ħ H ı i ł l Ł L ŋ n Ŋ N ŧ t",
  "Ŧ T ĸ k ə e Ə E ƒ f ɓ b Ɓ B ɗ d Ɗ D ɖ d Ɖ D ƙ k Ƙ K ƴ y Ƴ Y ɛ e Ɛ E ɔ o Ɔ O ɣ g Ɣ G ɨ i Ɨ I ʉ u",
  "Ʉ U ʼ ' ʻ ' ʹ ' ʺ '",
];

/** The table 6.B of ICAO Doc 9303-3 in lower case. The soft sign has no Latin letter. */
const cyrillicRows = [
  "а a б b в v г g д d е e ё e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh",
  "ц ts ч ch ш sh щ shch ъ ie ы y э e ю iu я ia",
  "ђ d є ie ѕ dz і i ї i ј j љ lj њ nj ќ k ў u џ dz ѫ u ѵ y ґ g ғ g һ c",
  // These letters are not in ICAO's table. They follow the passports of Serbia and North Macedonia,
  // Kazakhstan, Kyrgyzstan and Mongolia, and Tajikistan.
  "ћ c ѓ g ә a қ k ң n ө o ұ u ү u ҳ h ҷ j",
];

/** The table of ELOT 743 for single letters. `greekLetter` handles combinations. */
const greekRow =
  "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o";

function tableOf(...rows: readonly string[]): ReadonlyMap<string, string> {
  const pairs = rows.flatMap((row) => [...row.matchAll(/(\S+) (\S+)/gu)]);
  return new Map(pairs.map(([, letter = "", latin = ""]) => [letter, latin]));
}

const latin = tableOf(...latinRows);
const cyrillic = new Map([...tableOf(...cyrillicRows), ["ь", ""]]);
const greek = tableOf(greekRow);

/** Letters that only Ukrainian has. ICAO romanises them differently at the start of a word. */
const ukrainianFirst = tableOf("є ye ї yi");

const cyrillicWord = /[\p{Script=Cyrillic}\p{Script=Inherited}]+/gu;
const greekWord = /[\p{Script=Greek}\p{Script=Inherited}]+/gu;
const isUpper = (letter: string | undefined) => letter !== undefined && /\p{Lu}/u.test(letter);

/** Copies the case of the adjacent letter: `Shch` in `Щукин`, `SHCH` in `ЩУКИН`. */
function cased(latin: string, letters: readonly string[], at: number): string {
  if (!isUpper(letters[at])) return latin;
  const isWhole = isUpper(letters[at + 1] ?? letters[at - 1]);
  return isWhole ? latin.toUpperCase() : latin.charAt(0).toUpperCase() + latin.slice(1);
}

/**
 * Romanises a Cyrillic word. Removes marks first, because after NFC composition no remaining mark
 * is part of a Cyrillic letter.
 */
function fromCyrillic(word: string): string {
  const letters = [...word.normalize("NFC").replace(/\p{M}/gu, "")];
  return letters.map((letter, at) => cased(cyrillicLetter(letter, at), letters, at)).join("");
}

function cyrillicLetter(letter: string, at: number): string {
  const lower = letter.toLowerCase();
  const first = at === 0 ? ukrainianFirst.get(lower) : undefined;
  const [bare = ""] = lower.normalize("NFD");
  return first ?? cyrillic.get(lower) ?? cyrillic.get(bare) ?? letter;
}

/**
 * A Greek letter with its marks. The marks determine whether it forms one sound with an adjacent
 * letter.
 */
type GreekLetter = {
  readonly letter: string;
  readonly isAccented: boolean;
  readonly hasDiaeresis: boolean;
};

const accents = /[\u0300\u0301\u0342]/;
const voiceless = new Set("θκξπσςτφχψ");

function fromGreek(word: string): string {
  const written = [...word.normalize("NFD").matchAll(/(\P{M})(\p{M}*)/gu)];
  const letters = written.map(([, letter = ""]) => letter);
  const sounds = written.map(
    ([, letter = "", marks = ""]): GreekLetter => ({
      letter: letter.toLowerCase(),
      isAccented: accents.test(marks),
      hasDiaeresis: marks.includes("\u0308"),
    }),
  );
  return sounds.map((_, at) => cased(greekLetter(sounds, at), letters, at)).join("");
}

/**
 * Romanises one Greek letter. For a combination, each letter returns its own part: `ου` returns `o`
 * and `u`.
 */
function greekLetter(sounds: readonly GreekLetter[], at: number): string {
  const { letter = "", hasDiaeresis = false } = sounds[at] ?? {};
  const [before, next] = [sounds[at - 1], sounds[at + 1]];
  const isEnd = at === sounds.length - 1;
  if (letter === "υ" && before !== undefined && !hasDiaeresis && !before.isAccented) {
    if (before.letter === "ο") return "u";
    if ("αεη".includes(before.letter)) {
      return next === undefined || voiceless.has(next.letter) ? "f" : "v";
    }
  }
  if (letter === "γ" && next !== undefined && "γξχ".includes(next.letter)) return "n";
  if (letter === "μ" && next?.letter === "π" && (at === 0 || at === sounds.length - 2)) return "b";
  if (letter === "π" && before?.letter === "μ" && (at === 1 || isEnd)) return "";
  return greek.get(letter) ?? letter;
}

/** Matches symbols, emoji and their joiners. `+` is not included, because banks carry it. */
const symbols =
  /(?!\+)(?:\p{S}|\ufe0e|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}])|(?<=\p{S}\ufe0f?)\u200d/gu;
const emoji =
  /\p{So}|\p{Sk}|\ufe0e|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}]|(?<=(?:\p{So}|\p{Sk})\ufe0f?)\u200d/gu;
const dashes = /[\u2010-\u2015\u2212]/gu;
const apostrophes = /[\u2018-\u201b\u2032]/gu;
const ascii = /^\p{ASCII}*$/u;
const asciiSymbols = /[$<=>^`|~]/g;
const outsideAscii = /\P{ASCII}/gu;

/** Removes emoji and pictures, for banks that accept every script. */
export function withoutEmoji(text: string): string {
  return text.replace(emoji, "").replace(/ +/g, " ").trim();
}

/** Romanises one Latin letter or a form of it (`ﬁ`, `Ａ`). Returns other characters unchanged. */
function fromLatin(letter: string): string {
  const own = latin.get(letter);
  if (own !== undefined) return own;
  const bare = letter.normalize("NFKD").replace(/\p{M}/gu, "").replace("\u2044", "/");
  return /^\p{ASCII}+$/u.test(bare) ? bare : (latin.get(bare) ?? letter);
}

/**
 * Romanises a text. Latin letters lose their marks, Cyrillic and Greek letters are romanised, and
 * symbols and emoji are removed. Letters of other scripts stay, because they have no safe
 * romanisation.
 */
export function romanise(text: string): string {
  if (ascii.test(text)) return text.replace(asciiSymbols, "");
  return text
    .normalize("NFC")
    .replace(dashes, "-")
    .replace(symbols, "")
    .replace(apostrophes, "'")
    .replace(cyrillicWord, fromCyrillic)
    .replace(greekWord, fromGreek)
    .replace(outsideAscii, fromLatin)
    .replace(/(?<=\p{ASCII})\p{M}+|\p{Cf}/gu, "");
}

export function isRomanisable(text: string): boolean {
  return !/(?!\p{ASCII})[\p{L}\p{N}]/u.test(romanise(text));
}

/** SWIFT's character set x has letters, digits, `/ - ? : ( ) . , ' +` and the space. */
const outsideOfX = /[^A-Za-z0-9/\-?:().,'+ ]/gu;

/**
 * Converts a text to one line in SWIFT's character set x. The text is romanised, `&` becomes `+`,
 * and every other character outside the set becomes a full stop (EPC217-08, the best practice for
 * SEPA).
 */
export function swiftText(text: string): string {
  const line = romanise(text.trim().replace(/\s+/gu, " "));
  return line.replace(/&/g, "+").replace(outsideOfX, ".").replace(/ +/g, " ").trim();
}

/** Returns false if no letter or digit remains after romanisation. */
export function isReadable(text: string): boolean {
  return /[A-Za-z0-9]/.test(swiftText(text));
}
