/** V8 copies a shorter part of a string, and lets a longer one keep the whole string alive. */
const sharedFrom = 13;

/** A text that keeps no other text in memory: parts of a large file must not keep all of it. */
export function ownText(text: string): string {
  return text.length < sharedFrom ? text : Buffer.from(text).toString();
}
