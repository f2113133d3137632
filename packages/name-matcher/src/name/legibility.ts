import { readSymbols, toLatin } from "../script/transliteration.ts";
import { isReadWhole } from "./readings.ts";
import { nameTokens, nameWords, tokenLengthMax, tokensMax } from "./tokens.ts";

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
 * Why a person has to read a name: it has no letter that can be compared, or not all of it is.
 * `undefined` where all of it is compared.
 */
export function nameProblem(name: string, isPerson: boolean): "blank" | "partial" | undefined {
  if (nameTokens(name, isPerson).length === 0) return "blank";
  return isComparedWhole(name, isPerson) ? undefined : "partial";
}

/** No word too many or too long, no sign without a reading, no letter there for its look. */
function isComparedWhole(name: string, isPerson: boolean): boolean {
  if (nameWords(name, isPerson).length > tokensMax) return false;
  const text = readSymbols(name.normalize("NFKC"));
  if (unknown.test(text) || inWord.test(text)) return false;
  const bare = text.replace(unseen, "");
  if (mixed.test(bare) || tooLong.test(bare)) return false;
  if (!(text.match(foreign) ?? []).every((letter) => toLatin(letter) !== "")) return false;
  return isReadWhole(name, isPerson);
}
