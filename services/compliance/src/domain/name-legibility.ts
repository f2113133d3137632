import { nameWords, tokensMax } from "./name-tokens.ts";
import { readSymbols, toLatin } from "./transliteration.ts";

/** No letter of any alphabet: nobody can say what it stands for. */
const unknown = /[\p{Co}\p{Cn}\p{Cs}\ufffd]/u;
/** Letters of scripts that the tables may not have; marks and signs that write nothing are none. */
const foreign =
  /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])(?!\p{ASCII})[\p{Lo}\p{Lu}\p{Ll}\p{Nd}]/gu;
/** A sign in a letter's place, other than those of trade marks and degrees. */
const inWord = /[\p{L}\p{M}\p{N}](?![©®°])\p{So}(?:\p{So}|\ufe0f)*[\p{L}\p{N}]/u;

/** Whether all of a name is compared: no word too many, no sign without a reading. */
export function isComparedWhole(name: string, isPerson: boolean): boolean {
  if (nameWords(name, isPerson).length > tokensMax) return false;
  const text = readSymbols(name.normalize("NFKC"));
  if (unknown.test(text) || inWord.test(text)) return false;
  return (text.match(foreign) ?? []).every((letter) => toLatin(letter) !== "");
}
