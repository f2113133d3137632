import anyAscii from "any-ascii";
import { readArabic } from "./arabic.ts";
import { readByLook } from "./homoglyphs.ts";

/**
 * Latin letters for what other scripts and the Latin alphabet's own extras write. One reading for
 * each letter: spellings that differ between romanisations meet again in `canonical-spelling.ts`.
 * Cyrillic follows the BGN/PCGN tables roughly. Scripts without a row here are read by the
 * tables of any-ascii (pinyin for Chinese).
 */
const rows: readonly string[] = [
  // Latin letters that Unicode does not decompose.
  "ß ss æ ae œ oe ø o đ d ð d þ th ħ h ı i ł l ŋ n ŧ t ə a ĸ k ſ s ɓ b ɗ d ƙ k ƴ y",
  // Russian, Ukrainian, Belarusian, Serbian, Macedonian, Kazakh.
  "а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts",
  "ч ch ш sh щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u",
  "ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz",
  "ә a ғ gh қ q ң n ө o ұ u ү u һ h ё e",
  // Greek, its double letters first.
  "ου u μπ b ντ nt γγ ng αυ av ευ ev",
  "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t",
  "υ y φ f χ ch ψ ps ω o",
];

/** Signs that only soften or separate in Cyrillic: nothing to write. */
const silent = "ьъʹʺ";

function table(): Map<string, string> {
  const letters = new Map<string, string>();
  for (const row of rows) {
    const cells = row.split(" ");
    for (let at = 0; at + 1 < cells.length; at += 2) {
      letters.set(cells[at] ?? "", cells[at + 1] ?? "");
    }
  }
  for (const sign of silent) letters.set(sign, "");
  return letters;
}

const letters = table();
const read = (letter: string): string => letters.get(letter) ?? letter;
const greekDouble = /ου|μπ|ντ|γγ|αυ|ευ/g;
const plain = /^[\x20-\x7e]*$/;
const arabic = /\p{Script=Arabic}/u;
const hebrew = /\p{Script=Hebrew}/u;
/** Marks of no script in particular, and points of Hebrew; those of kana make other letters. */
const marks = /(?:(?![\u3099\u309a])[\p{Script=Inherited}\u0591-\u05c7])+/gu;
const ascii = /^\p{ASCII}*$/u;
/** Joiners, direction marks, soft hyphens: invisible, and no end of a word. */
const invisible = /\p{Cf}+/gu;
/** A Chinese or Korean name writes the family name's one sign first, without a space. */
const signs =
  /(?<![\p{Script=Han}\p{Script=Hangul}])([\p{Script=Han}\p{Script=Hangul}])(?=[\p{Script=Han}\p{Script=Hangul}]{1,3}(?![\p{Script=Han}\p{Script=Hangul}]))/gu;
/** Letters in a run that the tables above do not know; signs and emoji stay what they are. */
const unread = /(?:(?!\p{ASCII})[\p{L}\p{M}\p{N}])+/gu;

const symbol = /\p{So}/gu;
const oneLetter = /^[a-z]$/i;
/** Two of the letters that flags are written with, alone: a flag. */
const flag = /(?<!\p{RI})\p{RI}{2}(?!\p{RI})/gu;

/** Letters for symbols that are drawn letters, which Unicode does not say of them all: `🅑`, `⠃`. */
export function readSymbols(text: string): string {
  return text.replace(flag, " ").replace(symbol, (each) => {
    const read = anyAscii(each);
    return oneLetter.test(read) ? read : each;
  });
}

/** Lower-case text without marks, in Latin letters where a reading of the letter is known. */
export function toLatin(text: string): string {
  if (plain.test(text)) return text.toLowerCase();
  const whole = text.normalize("NFKC");
  if (plain.test(whole)) return whole.toLowerCase();
  const seen = readByLook(readSymbols(whole).replace(invisible, "")).toLowerCase();
  const heard = arabic.test(seen) ? readArabic(seen) : seen;
  const spoken = hebrew.test(heard) ? readHebrew(heard) : heard;
  // Composed letters that have a row of their own (й, ї) are read before their marks come off.
  const latin = spoken.replace(greekDouble, read).replace(/[^\p{ASCII}]/gu, read);
  if (ascii.test(latin)) return latin;
  const bare = latin
    .normalize("NFKD")
    .replace(marks, "")
    .replace(/[^\p{ASCII}]/gu, read);
  if (ascii.test(bare)) return bare;
  const apart = readHangul(bare.normalize("NFC").replace(signs, "$1 "));
  return apart.replace(unread, (run) => anyAscii(run).toLowerCase());
}

/**
 * Korean syllables in Latin letters, as passports and lists write names: McCune and Reischauer's
 * way, without its marks and with every stop voiceless (`Kim`, `Pak`, `To Chun`). The state's own
 * romanisation (`Gim`, `Bak`) is used for places, hardly ever for persons.
 */

const firsts = "k kk n t tt r m p pp s ss _ j jj ch k t p h".split(" ");
const vowels = "a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i".split(" ");
const lasts = "_ k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split(" ");

const syllables = /[\uac00-\ud7a3]/gu;
const base = 0xac00;

/** The text with each Korean syllable in Latin letters; nothing comes between two of them. */
export function readHangul(text: string): string {
  return text.replace(syllables, (syllable) => {
    const at = syllable.charCodeAt(0) - base;
    const first = Math.floor(at / (vowels.length * lasts.length));
    const vowel = Math.floor(at / lasts.length) % vowels.length;
    const parts = [firsts[first], vowels[vowel], lasts[at % lasts.length]];
    return parts.map((part) => (part === "_" ? "" : part)).join("");
  });
}

/**
 * Hebrew words in Latin letters. The script writes few vowels, so each pair of consonants gets the
 * commonest one between, as in Arabic.
 */

const consonants: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ ב: "b", ג: "g", ד: "d", ה: "h", ז: "z", ח: "h", ט: "t", כ: "k", ך: "k", ל: "l", מ: "m" },
    ...{ ם: "m", נ: "n", ן: "n", ס: "s", פ: "f", ף: "f", צ: "ts", ץ: "ts", ק: "k", ר: "r" },
    ...{ ש: "sh", ת: "t" },
  }),
);

const points = /[\u0591-\u05c7]/gu;
const word = /\p{Script=Hebrew}+/gu;
const [alef, he, vav, yod, ayin] = ["א", "ה", "ו", "י", "ע"] as const;

/** The text with each Hebrew word in Latin letters. */
export function readHebrew(text: string): string {
  return text.replace(points, "").replace(word, vocalised);
}

/** Letter by letter: `v` and `y` are vowels after consonants, and unwritten vowels are `a`. */
function vocalised(written: string): string {
  let latin = "";
  let afterConsonant = false;
  const consonant = (sound: string): void => {
    // A letter twice is one that is long.
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
