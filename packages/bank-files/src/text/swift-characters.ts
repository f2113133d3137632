import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import anyAscii from "any-ascii";

/**
 * How a bank takes text: `swift` is the SWIFT character set x, for which everything else is
 * transliterated; `utf-8` is every character, unchanged.
 */
export type Characters = "swift" | "utf-8";

/** Outside of SWIFT's character set x: letters, digits, `/ - ? : ( ) . , ' +` and the space. */
const outsideOfX = /[^A-Za-z0-9/\-?:().,'+ ]/g;

/** XML 1.0 has no form for these two, not even an escaped one. */
const notInXml = /[\ufffe\uffff]/u;

/**
 * A text as a bank takes it, in one line. In `swift` letters of other scripts are romanised, `&`
 * becomes `+` and every other character a full stop (EPC217-08, the best practice for SEPA).
 */
export function bankText(text: string, characters: Characters): string {
  const line = cleanText(text).replace(/\s+/g, " ");
  if (characters === "utf-8") return line;
  return anyAscii(line).replace(/&/g, "+").replace(outsideOfX, ".").replace(/ +/g, " ").trim();
}

/** Why no bank takes a text, in words for operators, or `undefined`. Line breaks are spaces. */
export function bankTextProblem(text: string): string | undefined {
  if (notInXml.test(text)) return "has a character that XML cannot carry";
  return textProblem(text.replace(/\s+/g, " "));
}

const reference = /^(?!\/)(?!.*\/\/)[A-Za-z0-9/\-?:().,'+ ]{1,35}(?<!\/)$/;

/**
 * Whether a text can be a reference: up to 35 characters of SWIFT's set, no slash at either end, no
 * two in a row (SWIFT rule T26, EPC217-08).
 */
export function isBankReference(text: string): boolean {
  return reference.test(text) && text === text.trim();
}

/**
 * A text that is at most `max` characters long once it is written in these characters: cut, where
 * it would be longer. For names and remittance alone, which a bank does not pay by.
 */
export function cutToFit(text: string, characters: Characters, max: number): string {
  const written = Array.from(bankText(text, characters));
  return written.length <= max ? text : written.slice(0, max).join("").trim();
}
