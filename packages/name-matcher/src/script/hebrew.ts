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
