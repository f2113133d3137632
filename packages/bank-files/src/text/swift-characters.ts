import {
  isRomanisable,
  swiftText,
  withoutEmoji,
} from "@disburse/kernel/payment-methods/romanisation.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";

/**
 * The characters that a bank accepts. `swift` is the SWIFT character set x, into which other text
 * is romanised; `utf-8` is every character except emoji and similar symbols.
 */
export type Characters = "swift" | "utf-8";

/** XML 1.0 has no form for these two, not even an escaped one. */
const notInXml = /[\ufffe\uffff]/u;

/** Writes a text in one line, in the characters that the bank accepts. */
export function bankText(text: string, characters: Characters): string {
  const line = cleanText(text).replace(/\s+/g, " ");
  return characters === "swift" ? swiftText(line) : withoutEmoji(line);
}

/**
 * Returns the reason why no bank accepts a text, for operators, or `undefined`. Line breaks are
 * spaces.
 */
export function bankTextProblem(text: string): string | undefined {
  if (notInXml.test(text)) return "has a character that XML cannot carry";
  return textProblem(text.replace(/\s+/g, " "));
}

/** Checks a name or an address, whose letters must not be guessed or lost. */
export function partyTextProblem(text: string, characters: Characters): string | undefined {
  if (characters === "swift" && !isRomanisable(text)) {
    return "has letters without a safe romanisation";
  }
  return bankTextProblem(text);
}

const reference = /^(?!\/)(?!.*\/\/)[A-Za-z0-9/\-?:().,'+ ]{1,35}(?<!\/)$/;

/**
 * True for up to 35 characters of SWIFT's set, without a slash at either end or two in a row (SWIFT
 * rule T26, EPC217-08).
 */
export function isBankReference(text: string): boolean {
  return reference.test(text) && text === text.trim();
}

/**
 * Cuts a text so that it has at most `max` characters when written in these characters. Use it only
 * for names and remittance, because a bank does not pay by them.
 */
export function cutToFit(text: string, characters: Characters, max: number): string {
  const written = Array.from(bankText(text, characters));
  return written.length <= max ? text : written.slice(0, max).join("").trim();
}

/** False if these characters leave no letter or digit of the text; such a text is left out. */
export function isShown(text: string, characters: Characters): boolean {
  return /[\p{L}\p{N}]/u.test(bankText(text, characters));
}
