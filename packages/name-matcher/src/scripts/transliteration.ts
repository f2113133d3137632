import anyAscii from "any-ascii";
import { romanizeArabic } from "./arabic.ts";
import { foldHomoglyphs } from "./homoglyphs.ts";

/**
 * One romanisation for each letter. `canonical-spelling.ts` unites the spellings of other
 * romanisations. Cyrillic roughly follows the BGN/PCGN tables. any-ascii romanises scripts that
 * these rows lack, for example Chinese as pinyin.
 */
const rows: readonly string[] = [
  // Latin letters that Unicode does not decompose.
  "ß ss æ ae œ oe ø o đ d ð d þ th ħ h ı i ł l ŋ n ŧ t ə a ĸ k ſ s ɓ b ɗ d ƙ k ƴ y",
  // Russian, Ukrainian, Belarusian, Serbian, Macedonian, Kazakh.
  "а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts",
  "ч ch ш sh щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u",
  "ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz",
  "ә a ғ gh қ q ң n ө o ұ u ү u һ h ё e",
  // Greek as ELOT 743 writes it, pairs of letters first.
  "ου u ού u αυ av αύ av ευ ev εύ ev γγ ng γκ gk μπ mp ντ nt",
  "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t",
  "υ y φ f χ ch ψ ps ω o",
];

/** Cyrillic soft and hard signs, which have no Latin letter. */
const silent = "ьъʹʺ";

const letters = new Map([...silent].map((sign) => [sign, ""]));
for (const row of rows) {
  for (const [, letter = "", latin = ""] of row.matchAll(/(\S+) (\S+)/g))
    letters.set(letter, latin);
}
const romanize = (letter: string): string => letters.get(letter) ?? letter;
const greekPairs = /[οαε][υύ]|γγ|γκ|μπ|ντ/g;
/** At the beginning of a word, these pairs are the only spelling of `b`, `d` and `g`. */
const greekStarts = /(?<!\p{L})(?:μπ|ντ|γκ)/gu;
/**
 * Foreign names in Greek letters. Greek has no letters for `b`, `d`, `g`, `j` and `y`, so it writes
 * pairs (`Μεντβέντεφ`). Within a Greek word the same pairs may be read as two letters (`Αντώνης`).
 */
const greekSounds = /μπ|ντ|γκ|τζ|χ|γι(?=[αάεέηήοόυύωώ])/g;
const soundOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ μπ: "b", ντ: "d", γκ: "g", τζ: "j", χ: "kh", γι: "y" }),
);
const sound = (pair: string): string => soundOf.get(pair) ?? pair;
const plain = /^[\x20-\x7e]*$/;
const arabic = /\p{Script=Arabic}/u;
const hebrew = /\p{Script=Hebrew}/u;
/**
 * Marks that belong to no script, and Hebrew points. Kana marks are kept, because they form other
 * letters.
 */
const marks = /(?:(?![\u3099\u309a])[\p{Script=Inherited}\u0591-\u05c7])+/gu;
const ascii = /^\p{ASCII}*$/u;
/** Joiners, direction marks and soft hyphens, which do not separate words. */
const invisible = /\p{Cf}+/gu;
/** The family name of a Chinese or Korean name: its first character, without a space after it. */
const familyName =
  /(?<![\p{Script=Han}\p{Script=Hangul}])([\p{Script=Han}\p{Script=Hangul}])(?=[\p{Script=Han}\p{Script=Hangul}]{1,3}(?![\p{Script=Han}\p{Script=Hangul}]))/gu;
/** A run of letters that the tables above lack; symbols and emoji stay. */
const unknown = /(?:(?!\p{ASCII})[\p{L}\p{M}\p{N}])+/gu;

const symbol = /\p{So}/gu;
const oneLetter = /^[a-z]$/i;
/** Two regional indicators form a flag. */
const flag = /(?<!\p{RI})\p{RI}{2}(?!\p{RI})/gu;

/** Returns letters for symbols that depict letters and that NFKC does not map (`🅑`, `⠃`). */
export function foldSymbols(text: string): string {
  return text.replace(flag, " ").replace(symbol, (each) => {
    const letter = anyAscii(each);
    return oneLetter.test(letter) ? letter : each;
  });
}

/** Returns lower case without diacritics, in Latin letters if a romanisation is known. */
export function toLatin(written: string): string {
  return latinOf(written, greekStarts);
}

/** Like `toLatin`, but reads Greek letters as in foreign names (`Πριγκόζιν`, `prigozin`). */
export function toLatinBySound(written: string): string {
  return latinOf(written, greekSounds);
}

/** Romanises a text. `asSound` finds the Greek pairs that are read as one sound. */
function latinOf(written: string, asSound: RegExp): string {
  if (plain.test(written)) return written.toLowerCase();
  const whole = written.normalize("NFKC");
  if (plain.test(whole)) return whole.toLowerCase();
  const folded = foldHomoglyphs(foldSymbols(whole).replace(invisible, "")).toLowerCase();
  const withoutArabic = arabic.test(folded) ? romanizeArabic(folded) : folded;
  const text = hebrew.test(withoutArabic) ? romanizeHebrew(withoutArabic) : withoutArabic;
  // Composed letters with their own row (й, ї) are romanised before decomposition.
  const latin = text
    .replace(asSound, sound)
    .replace(greekPairs, romanize)
    .replace(/[^\p{ASCII}]/gu, romanize);
  if (ascii.test(latin)) return latin;
  const bare = latin
    .normalize("NFKD")
    .replace(marks, "")
    .replace(/[^\p{ASCII}]/gu, romanize);
  if (ascii.test(bare)) return bare;
  const spaced = romanizeHangul(bare.normalize("NFC").replace(familyName, "$1 "));
  return spaced.replace(unknown, (run) => anyAscii(run).toLowerCase());
}

// The Korean romanisation that passports and lists use: McCune-Reischauer without marks, with every
// stop voiceless (`Kim`, `Pak`, `To Chun`). Few persons use Revised Romanization (`Gim`, `Bak`).
const firsts = "k kk n t tt r m p pp s ss _ j jj ch k t p h".split(" ");
const vowels = "a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i".split(" ");
const lasts = "_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ");

const syllables = /[\uac00-\ud7a3]/gu;
const base = 0xac00;

/** Romanises each Korean syllable, without separators. */
function romanizeHangul(text: string): string {
  return text.replace(syllables, (syllable) => {
    const at = syllable.charCodeAt(0) - base;
    const first = Math.floor(at / (vowels.length * lasts.length));
    const vowel = Math.floor(at / lasts.length) % vowels.length;
    const parts = [firsts[first], vowels[vowel], lasts[at % lasts.length]];
    return parts.map((part) => (part === "_" ? "" : part)).join("");
  });
}

const consonants: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ב: "b",
    ג: "g",
    ד: "d",
    ה: "h",
    ז: "z",
    ח: "h",
    ט: "t",
    כ: "k",
    ך: "k",
    ל: "l",
    מ: "m",
    ם: "m",
    נ: "n",
    ן: "n",
    ס: "s",
    פ: "f",
    ף: "f",
    צ: "ts",
    ץ: "ts",
    ק: "k",
    ר: "r",
    ש: "sh",
    ת: "t",
  }),
);

/** Vowel points, and the double quote between the last letters of an acronym. */
const points = /[\u0591-\u05c7]|(?<=\p{Script=Hebrew})["”״](?=\p{Script=Hebrew})/gu;
const word = /\p{Script=Hebrew}+/gu;
const [alef, he, vav, yod, ayin] = ["א", "ה", "ו", "י", "ע"] as const;

/**
 * Romanises each Hebrew word. Hebrew script has few vowels, so `a` is added between two consonants,
 * as for Arabic.
 */
function romanizeHebrew(text: string): string {
  return text.replace(points, "").replace(word, vocalized);
}

/**
 * Romanises letter by letter. `v` and `y` after a consonant become vowels, and `a` is added for
 * unwritten vowels.
 */
function vocalized(written: string): string {
  let latin = "";
  let afterConsonant = false;
  const consonant = (sound: string): void => {
    // No vowel is added within a doubled letter, because it stands for one long consonant.
    latin += afterConsonant && !latin.endsWith(sound) ? `a${sound}` : sound;
    afterConsonant = true;
  };
  const vowel = (sound: string): void => {
    if (!latin.endsWith(sound)) latin += sound;
    afterConsonant = false;
  };
  for (const [at, letter] of [...written].entries()) {
    const isLast = at === written.length - 1;
    if (letter === vav && afterConsonant) vowel("u");
    else if (letter === yod && (afterConsonant || latin.endsWith("a"))) {
      latin = latin.replace(/a$/, "");
      vowel("i");
    } else if (letter === vav) consonant("v");
    else if (letter === yod) consonant("y");
    else if (letter === alef || letter === ayin || (letter === he && isLast)) vowel("a");
    else {
      const sound = letter === "פ" && at === 0 ? "p" : consonants.get(letter);
      if (sound === undefined) latin += letter;
      else consonant(sound);
    }
  }
  return latin;
}
