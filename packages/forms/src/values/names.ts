/**
 * Texts that stand for a name that is not known, and are certainly none: exports of databases and
 * programs write them. Real names are not here: Na, Nil and Test are such.
 */
const placeholders =
  "n/a|none|null|undefined|unknown|no name|not applicable|not available|not known";
const placeholdersAlone = new RegExp(`^(?:(?:${placeholders})(?: |$))+$`);

/** `N/A`, `n. a.`, `n-a`; `N A` without a sign between may be two initials. */
const notApplicable = /(?<![\p{L}\p{M}\p{N}])n\s*[^\p{L}\p{M}\p{N}\s]+\s*a(?![\p{L}\p{M}\p{N}])/gu;
const notLetters = /[^\p{L}\p{M}\p{N}/]+|(?<!\bn)\/|\/(?!a\b)/gu;

/** Whether a whole name is a placeholder, in whatever signs: `null/null`, `(not_available).` */
function isNoName(name: string): boolean {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(notApplicable, "n/a");
  return placeholdersAlone.test(folded.replaceAll(notLetters, " ").trim());
}

const placeholderProblem = "must be a name, not a placeholder such as N/A";

/** What is wrong with the whole name of a person; `undefined` for a name. */
export function personNameProblem(name: string): string | undefined {
  if (isNoName(name)) return placeholderProblem;
  return /\p{L}/u.test(name) ? undefined : "must have a letter";
}

/** What is wrong with the whole name of a company, which may be of digits: `3M`, `360`. */
export function companyNameProblem(name: string): string | undefined {
  if (isNoName(name)) return placeholderProblem;
  return /[\p{L}\p{N}]/u.test(name) ? undefined : "must have a letter or digit";
}
