import { verdicts } from "@disburse/name-matcher/verdict.ts";
import type { Eased, EasedSubject, ListForms } from "../lists/removals/removals.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import { formKey, keyOfForm } from "../lists/rules/retained.ts";
import type { ScreeningHit } from "../screening/rules/hit.ts";
import { entryName, subjectOf } from "./document.ts";
import { type SubjectDeps, verdictWithout } from "./subject-screening.ts";

/** More than a person reads of one proposal; compared within some seconds. */
const subjectsMax = 500;
/** Few, so that owners' requests wait little. */
const comparedAtOnce = 4;

/**
 * Whom it would clear if some forms of a list's entries were not in force: each stopped subject
 * that hit their entries is compared again, without the hits of those forms and of the others.
 */
export async function easedBy(
  deps: SubjectDeps,
  list: string,
  forms: readonly ListEntry[],
  others: readonly ListForms[] = [],
): Promise<Eased> {
  const names = [...new Set(forms.map(({ uid }) => entryName(list, uid)))];
  const stopped = await deps.subjects.stoppedBy(names, subjectsMax + 1);
  const keysOf = new Map(
    [...others, { list, forms }].map((each) => [each.list, new Set(each.forms.map(formKey))]),
  );
  const keyOfHit = (hit: ScreeningHit) => keyOfForm(hit.entryFingerprint, hit.entryUid);
  const isOfForms = (hit: ScreeningHit) => keysOf.get(hit.list)?.has(keyOfHit(hit)) ?? false;
  const subjects: EasedSubject[] = [];
  const counting = new Set<string>();
  for (let at = 0; at < Math.min(stopped.length, subjectsMax); at += comparedAtOnce) {
    const some = stopped.slice(at, Math.min(at + comparedAtOnce, subjectsMax));
    const verdictsOf = some.map((document) => verdictWithout(deps, document, isOfForms));
    for (const [index, { from, to, leftOut }] of (await Promise.all(verdictsOf)).entries()) {
      const document = some[index];
      if (document === undefined || verdicts.indexOf(to) >= verdicts.indexOf(from)) continue;
      subjects.push({ ...subjectOf(document), from, to });
      for (const hit of leftOut) if (hit.list === list) counting.add(keyOfHit(hit));
    }
  }
  return { subjects, forms: counting, isCut: stopped.length > subjectsMax };
}
