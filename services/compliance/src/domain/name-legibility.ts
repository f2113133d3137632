import { isReadWhole } from "./name-readings.ts";
import { nameWords, tokenLengthMax, tokensMax } from "./name-tokens.ts";
import { readSymbols, toLatin } from "./transliteration.ts";

/** No letter of any alphabet: nobody can say what it stands for. */
const unknown = /[\p{Co}\p{Cn}\p{Cs}\ufffd]/u;
/** Letters of scripts that the tables may not have; marks and signs that write nothing are none. */
const foreign =
  /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])(?!\p{ASCII})[\p{Lo}\p{Lu}\p{Ll}\p{Nd}]/gu;
/** A sign in a letter's place, other than those of trade marks and degrees. */
const inWord = /[\p{L}\p{M}\p{N}](?![©®°])\p{So}(?:\p{So}|\ufe0f)*[\p{L}\p{N}]/u;

/** Scripts that stand beside Latin letters without a space, or are read by look there. */
const neighbourScripts =
  "Latin Cyrillic Greek Han Hiragana Katakana Hangul Bopomofo Thai Lao Khmer Myanmar Arabic Hebrew " +
  "Common Inherited";
const neighbour = neighbourScripts.split(" ").map((script) => `\\p{Script=${script}}`);
const stranger = `(?:(?![${neighbour.join("")}])\\p{L})`;
/** Letters of Latin and of a script of which nobody mixes it in a word: some of them look alike. */
const mixed = new RegExp(`\\p{Script=Latin}${stranger}|${stranger}\\p{Script=Latin}`, "u");

const unseen = /[\p{M}\p{Cf}]+/gu;
/** Of an alphabet: a row of signs is longer when it is read than as it is written. */
const tooLong = new RegExp(`[\\p{L}\\p{N}'’‘ʻʼ\`´]{${tokenLengthMax + 1},}`, "u");

/**
 * Whether all of a name is compared: no word too many or too long, no sign without a reading, no
 * letter that is there for its look.
 */
export function isComparedWhole(name: string, isPerson: boolean): boolean {
  if (nameWords(name, isPerson).length > tokensMax) return false;
  const text = readSymbols(name.normalize("NFKC"));
  if (unknown.test(text) || inWord.test(text)) return false;
  const bare = text.replace(unseen, "");
  if (mixed.test(bare) || tooLong.test(bare)) return false;
  if (!(text.match(foreign) ?? []).every((letter) => toLatin(letter) !== "")) return false;
  return isReadWhole(name, isPerson);
}
