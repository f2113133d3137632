import { withoutEmoji } from "@disburse/kernel/payment-methods/romanisation.ts";
import anyAscii from "any-ascii";

/**
 * Matches characters that the font DejaVu Sans contains and that are drawn correctly without
 * joining or reordering.
 */
const drawn =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Nd}\p{P}\p{Sc}\p{Zs}+<>=|~^`]/u;
const accent = /^[\u0300-\u036f]$/u;
const basic = /^[\u0020-\u2fff]$/u;

/**
 * Converts a text for a PDF. Characters that the font lacks become Latin letters. Emoji are
 * dropped.
 */
export function printable(text: string): string {
  const signs = [...withoutEmoji(text.normalize("NFC"))];
  return signs.map((sign) => (isShown(sign) ? sign : anyAscii(sign))).join("");
}

/** Converts a name for a PDF. Adds a note if the name could not be printed in its own script. */
export function printableName(name: string, nameLatin: string): string {
  const own = withoutEmoji(name.normalize("NFC"));
  if ([...own].every(isShown)) return own;
  return `${nameLatin || printable(own)} (in Latin letters; this document cannot show the original)`;
}

function isShown(sign: string): boolean {
  return accent.test(sign) || (basic.test(sign) && drawn.test(sign));
}
