import anyAscii from "any-ascii";

/** What DejaVu Sans has signs for and draws without joining or reordering them. */
const drawn =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Nd}\p{P}\p{Sc}\p{Zs}+<>=|~^`]/u;
const accent = /^[\u0300-\u036f]$/u;
const basic = /^[\u0020-\u2fff]$/u;

/** A text as a PDF can show it: a sign that its font does not have is written in Latin letters. */
export function printable(text: string): string {
  return [...text.normalize("NFC")].map((sign) => (isShown(sign) ? sign : anyAscii(sign))).join("");
}

function isShown(sign: string): boolean {
  return accent.test(sign) || (basic.test(sign) && drawn.test(sign));
}
