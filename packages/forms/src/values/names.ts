/**
 * Texts that databases and programs write for an unknown name. Texts that are also real names, such
 * as Na, Nil and Test, are not included.
 */
const placeholders =
  "n/a|none|null|undefined|unknown|no name|not applicable|not available|not known";
const placeholdersAlone = new RegExp(`^(?:(?:${placeholders})(?: |$))+$`);

/** Matches `N/A`, `n. a.` and `n-a`. Without punctuation, `N A` may be two initials. */
const notApplicable = /(?<![\p{L}\p{M}\p{N}])n\s*[^\p{L}\p{M}\p{N}\s]+\s*a(?![\p{L}\p{M}\p{N}])/gu;
const notLetters = /[^\p{L}\p{M}\p{N}/]+|(?<!\bn)\/|\/(?!a\b)/gu;

/**
 * Returns true for a placeholder. Ignores punctuation and case: `null/null` and `(not_available).`
 * are placeholders.
 */
function isNoName(name: string): boolean {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(notApplicable, "n/a");
  return placeholdersAlone.test(folded.replaceAll(notLetters, " ").trim());
}

const placeholderProblem = "must be a name, not a placeholder such as N/A";

/** Letters that show nothing, such as the Hangul filler U+3164, don't count. */
const letter = /(?!\p{Default_Ignorable_Code_Point})\p{L}/u;
const letterOrDigit = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/**
 * Returns `undefined` for a valid first or last name. It may be a placeholder, because Jennifer Null
 * is a real person.
 */
export function namePartProblem(part: string): string | undefined {
  return letter.test(part) ? undefined : "must have a letter";
}

/** Returns `undefined` for a valid name. */
export function personNameProblem(name: string): string | undefined {
  return isNoName(name) ? placeholderProblem : namePartProblem(name);
}

/** Returns `undefined` for a valid name. A company name may consist of digits: `3M`, `360`. */
export function companyNameProblem(name: string): string | undefined {
  if (isNoName(name)) return placeholderProblem;
  return letterOrDigit.test(name) ? undefined : "must have a letter or digit";
}
