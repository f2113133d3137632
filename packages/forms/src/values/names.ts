/**
 * Texts that stand for a name that is not known, and are certainly none: exports of databases and
 * programs write them. Real names are not here: Na, Nil and Test are such.
 */
const placeholders: ReadonlySet<string> = new Set([
  "n/a",
  "n.a",
  "none",
  "null",
  "undefined",
  "unknown",
  "no name",
  "not applicable",
  "not available",
  "not known",
]);

/** Brackets, quotation marks and the like around a text: `(null)`, `<none>`, `N/A.` */
const wrapping = /^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu;

/** Whether a whole name is a placeholder, or made of nothing else: `null null`. */
function isPlaceholder(name: string): boolean {
  const bare = (text: string) => text.replaceAll(wrapping, "");
  const folded = bare(name.normalize("NFKC").toLowerCase()).replaceAll(/\s+/g, " ");
  return (
    placeholders.has(folded) || folded.split(" ").every((word) => placeholders.has(bare(word)))
  );
}

const placeholderProblem = "must be a name, not a placeholder such as N/A";

/** What is wrong with the whole name of a person; `undefined` for a name. */
export function personNameProblem(name: string): string | undefined {
  if (isPlaceholder(name)) return placeholderProblem;
  return /\p{L}/u.test(name) ? undefined : "must have a letter";
}

/** What is wrong with the whole name of a company, which may be of digits: `3M`, `360`. */
export function companyNameProblem(name: string): string | undefined {
  if (isPlaceholder(name)) return placeholderProblem;
  return /[\p{L}\p{N}]/u.test(name) ? undefined : "must have a letter or digit";
}
