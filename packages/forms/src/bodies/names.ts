import type { Condition, Rule } from "../fields/field.ts";
import { companyNameProblem, personNameProblem } from "../values/names.ts";

/**
 * Rules for whole names. Fields for a part of a name accept more, because Jennifer Null is a real
 * person.
 */

const person = "The name of a person has a letter and is not a placeholder such as N/A.";
const company = "The name of a company has a letter or digit and is not a placeholder such as N/A.";

type NameProblem = (name: string) => string | undefined;

/** Creates a rule for a whole name in one field. A missing name is reported by other rules. */
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

export const personName = (field: string, when?: Condition): Rule =>
  wholeName(field, person, personNameProblem, when);

export const companyName = (field: string, when?: Condition): Rule =>
  wholeName(field, company, companyNameProblem, when);

/**
 * Creates a rule for a person's name in two fields. `first` may be empty if the form allows that.
 */
export function personNames(first: string, last: string, when?: Condition): Rule {
  return {
    description: person,
    ...(when !== undefined && { when }),
    reads: [first, last],
    reports: last,
    check: (text) => personNameProblem(`${text(first)} ${text(last)}`.trim()),
  };
}
