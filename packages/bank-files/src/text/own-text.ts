/**
 * The length from which V8 makes a substring refer to the whole string. V8 copies a shorter
 * substring.
 */
const sharedFrom = 13;

/** Copies a substring. Otherwise it would keep the whole text of a large file in memory. */
export function ownText(text: string): string {
  return text.length < sharedFrom ? text : Buffer.from(text).toString();
}
