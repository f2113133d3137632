import { foldSymbols, toLatin } from "./scripts/transliteration.ts";
import { nameVariants } from "./tokens/name-variants.ts";
import { nameTokens, rawTokens, tokenLengthMax, tokensMax } from "./tokens/tokenizer.ts";

/**
 * Code points outside of every alphabet: private use, unassigned, surrogates, the replacement
 * character.
 */
const unknown = /[\p{Co}\p{Cn}\p{Cs}\ufffd]/u;
/** Letters of scripts that the transliteration tables may lack. Marks and symbols are excluded. */
const foreign =
  /(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])(?!\p{ASCII})[\p{Lo}\p{Lu}\p{Ll}\p{Nd}]/gu;
/** A symbol in place of a letter, except trade marks and degree signs. */
const symbolInWord = /[\p{L}\p{M}\p{N}](?![©®°])\p{So}(?:\p{So}|\ufe0f)*[\p{L}\p{N}]/u;

/** Scripts that may follow Latin letters without a space, or whose homoglyphs are folded. */
const mixableScripts =
  "Latin Cyrillic Greek Han Hiragana Katakana Hangul Bopomofo Thai Lao Khmer Myanmar Arabic Hebrew " +
  "Common Inherited";
const mixable = mixableScripts.split(" ").map((script) => `\\p{Script=${script}}`);
const unmixable = `(?:(?![${mixable.join("")}])\\p{L})`;
/**
 * Latin letters next to letters of a script that never mixes with Latin in a word. Some of these
 * letters are homoglyphs.
 */
const mixed = new RegExp(`\\p{Script=Latin}${unmixable}|${unmixable}\\p{Script=Latin}`, "u");

const invisible = /[\p{M}\p{Cf}]+/gu;
/**
 * A token that is too long. This checks alphabets only, because ideographs become longer when
 * romanised.
 */
const tooLong = new RegExp(`[\\p{L}\\p{N}'’‘ʻʼ\`´]{${tokenLengthMax + 1},}`, "u");

/**
 * Returns the reason why a name needs manual review regardless of the matcher, or `undefined` if
 * the whole name is compared. A `blank` name has no letter to compare. A `partial` name is compared
 * in part only. It has more than `tokensMax` tokens, a token of more than `tokenLengthMax` letters,
 * symbols or homoglyphs in place of letters, or too many variants.
 */
export function nameQualityIssue(name: string, isPerson: boolean): "blank" | "partial" | undefined {
  if (nameTokens(name, isPerson).length === 0) return "blank";
  if (rawTokens(name, isPerson).length > tokensMax) return "partial";
  const text = foldSymbols(name.normalize("NFKC"));
  if (unknown.test(text) || symbolInWord.test(text)) return "partial";
  const bare = text.replace(invisible, "");
  if (mixed.test(bare) || tooLong.test(bare)) return "partial";
  if ((text.match(foreign) ?? []).some((letter) => toLatin(letter) === "")) return "partial";
  return nameVariants(name, isPerson).isComplete ? undefined : "partial";
}
