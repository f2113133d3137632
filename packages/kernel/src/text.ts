const controls = /\p{Cc}/u;
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/u;
const markPiles = /\p{M}{9,}/u;

/** Returns the form in which every string of a body is stored and compared. */
export function cleanText(text: string): string {
  return text.normalize("NFC").trim();
}

/** Returns the problem for the merchant, or `undefined` if every character is allowed. */
export function textProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  if (controls.test(text)) return "must not contain control characters";
  if (bidirectional.test(text)) return "must not contain bidirectional overrides";
  if (markPiles.test(text)) return "must not contain more than 8 combining marks in a row";
  return undefined;
}

/** Masks all but the last four characters, with one star for each: `******7890`. */
export function maskAllButLastFour(text: string): string {
  const characters = Array.from(text);
  const shown = characters.length > 4 ? 4 : 0;
  return (
    "*".repeat(characters.length - shown) + characters.slice(characters.length - shown).join("")
  );
}
