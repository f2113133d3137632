/** V8 copies a shorter part of a string; a longer part keeps the whole string in memory. */
const sharedFrom = 13;

/** Copies a text, so that parts of a large file don't keep the whole file in memory. */
export function ownText(text: string): string {
  return text.length < sharedFrom ? text : Buffer.from(text).toString();
}
