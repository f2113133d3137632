import {
  isRomanisable,
  swiftText,
  withoutEmoji,
} from "@disburse/kernel/payment-methods/romanisation.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";

/**
 * How a bank takes text: `swift` is the SWIFT character set x, for which everything else is
 * romanised; `utf-8` is every character but emoji and their like.
 */
export type Characters = "swift" | "utf-8";

/** XML 1.0 has no form for these two, not even an escaped one. */
const notInXml = /[\ufffe\uffff]/u;

/** A text as a bank takes it, in one line. */
export function bankText(text: string, characters: Characters): string {
  const line = cleanText(text).replace(/\s+/g, " ");
  return characters === "swift" ? swiftText(line) : withoutEmoji(line);
}

/** Why no bank takes a text, in words for operators, or `undefined`. Line breaks are spaces. */
export function bankTextProblem(text: string): string | undefined {
  if (notInXml.test(text)) return "has a character that XML cannot carry";
  return textProblem(text.replace(/\s+/g, " "));
}

/** The same for a name or an address, whose letters must not be guessed or lost. */
export function partyTextProblem(text: string, characters: Characters): string | undefined {
  if (characters === "swift" && !isRomanisable(text)) {
    return "has letters without a safe romanisation";
  }
  return bankTextProblem(text);
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

/** Whether a letter or digit of a text is left in these characters; without one it is left out. */
export function isShown(text: string, characters: Characters): boolean {
  return /[\p{L}\p{N}]/u.test(bankText(text, characters));
}
