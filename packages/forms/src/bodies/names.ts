import type { Condition, Rule } from "../fields/field.ts";
import { companyNameProblem, personNameProblem } from "../values/names.ts";

/** Rules on whole names; the other fields of a name may say less: Jennifer Null is a person. */

const person = "The name of a person has a letter and is not a placeholder such as N/A.";
const company = "The name of a company has a letter or digit and is not a placeholder such as N/A.";

/** A person's whole name in one field. */
export function personName(field: string, when?: Condition): Rule {
  return {
    description: person,
    ...(when !== undefined && { when }),
    reads: [field],
    reports: field,
    check: (text) => (text(field) === "" ? undefined : personNameProblem(text(field))),
  };
}

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

/** A company's name. */
export function companyName(field: string, when?: Condition): Rule {
  return {
    description: company,
    ...(when !== undefined && { when }),
    reads: [field],
    reports: field,
    check: (text) => (text(field) === "" ? undefined : companyNameProblem(text(field))),
  };
}
