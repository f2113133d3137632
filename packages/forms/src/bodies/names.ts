import type { Condition, Rule } from "../fields/field.ts";
import { companyNameProblem, personNameProblem } from "../values/names.ts";

/** Rules on whole names; the other fields of a name may say less: Jennifer Null is a person. */

const person = "The name of a person has a letter and is not a placeholder such as N/A.";
const company = "The name of a company has a letter or digit and is not a placeholder such as N/A.";

type NameProblem = (name: string) => string | undefined;

/** A whole name in one field; where it is absent, other rules say so. */
function wholeName(
  field: string,
  description: string,
  problemOf: NameProblem,
  when?: Condition,
): Rule {
  return {
    description,
    ...(when !== undefined && { when }),
    reads: [field],
    reports: field,
    check: (text) => (text(field) === "" ? undefined : problemOf(text(field))),
  };
}

/** A person's whole name in one field. */
export const personName = (field: string, when?: Condition): Rule =>
  wholeName(field, person, personNameProblem, when);

/** A company's name. */
export const companyName = (field: string, when?: Condition): Rule =>
  wholeName(field, company, companyNameProblem, when);

/** A person's whole name in two fields; the first one may be absent where the form lets it. */
export function personNames(first: string, last: string, when?: Condition): Rule {
  return {
    description: person,
    ...(when !== undefined && { when }),
    reads: [first, last],
    reports: last,
    check: (text) => personNameProblem(`${text(first)} ${text(last)}`.trim()),
  };
}
