import {
  isRomanisable,
  swiftText,
  withoutEmoji,
} from "@disburse/kernel/payment-methods/romanisation.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";

/**
 * The character set that a bank accepts. `swift` is SWIFT's set x, and other text is romanised to
 * it. `utf-8` allows all characters except emoji and similar symbols.
 */
export type Characters = "swift" | "utf-8";

/** XML 1.0 cannot represent these two characters, not even escaped. */
const notInXml = /[\ufffe\uffff]/u;

/** Writes a text in one line, in the characters that the bank accepts. */
export function bankText(text: string, characters: Characters): string {
  const line = cleanText(text).replace(/\s+/g, " ");
  return characters === "swift" ? swiftText(line) : withoutEmoji(line);
}

/**
 * Returns the reason why no bank accepts a text, for operators. Returns `undefined` if the text is
 * valid. Line breaks count as spaces.
 */
export function bankTextProblem(text: string): string | undefined {
  if (notInXml.test(text)) return "has a character that XML cannot carry";
  return textProblem(text.replace(/\s+/g, " "));
}

/**
 * Checks a name or an address. Returns a problem if a letter would be lost or has no certain
 * romanisation.
 */
export function partyTextProblem(text: string, characters: Characters): string | undefined {
  if (characters === "swift" && !isRomanisable(text)) {
    return "has letters without a safe romanisation";
  }
  return bankTextProblem(text);
}

const reference = /^(?!\/)(?!.*\/\/)[A-Za-z0-9/\-?:().,'+ ]{1,35}(?<!\/)$/;

/**
 * True if a text is a valid bank reference: up to 35 characters of SWIFT's set, without a slash at
 * either end and without two slashes in a row (SWIFT rule T26, EPC217-08).
 */
export function isBankReference(text: string): boolean {
  return reference.test(text) && text === text.trim();
}

/**
 * Cuts a text to `max` characters, counted after romanisation. Use it only for names and
 * remittance, because banks do not route payments by them.
 */
export function cutToFit(text: string, characters: Characters, max: number): string {
  const written = Array.from(bankText(text, characters));
  return written.length <= max ? text : written.slice(0, max).join("").trim();
}

/** True if romanisation leaves at least one letter or digit. Any other text must be left out. */
export function isShown(text: string, characters: Characters): boolean {
  return /[\p{L}\p{N}]/u.test(bankText(text, characters));
}
