import type { Condition, Rule } from "../fields/field.ts";
import { companyNameProblem, namePartProblem, personNameProblem } from "../values/names.ts";

/**
 * Rules for names. A part of a name needs only a letter. Whole names must not be placeholders
 * either.
 */

const person = "The name of a person has a letter and is not a placeholder such as N/A.";
const company = "The name of a company has a letter or digit and is not a placeholder such as N/A.";

type NameProblem = (name: string) => string | undefined;

/** Creates a rule for a name in one field. A missing name is reported by other rules. */
function nameRule(
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
  nameRule(field, person, personNameProblem, when);

export const companyName = (field: string, when?: Condition): Rule =>
  nameRule(field, company, companyNameProblem, when);

type Names = {
  readonly when?: Condition;
  /** Someone else adds a missing part, so the whole name is not checked yet. */
  readonly isPartial?: boolean;
  /** The form has no flag for people with one name. They send a dash for the other one. */
  readonly allowsDash?: boolean;
};

/**
 * Creates the rules for a person's name in two fields. `first` may be empty if the form allows that.
 */
export function personNames(
  first: string,
  last: string,
  { when, isPartial = false, allowsDash = false }: Names = {},
): readonly Rule[] {
  const parts = [first, last];
  const whole: Rule = {
    description: person,
    ...(when !== undefined && { when }),
    reads: parts,
    reports: last,
    check: (text) => {
      const given = parts.map(text).filter((name) => name !== "");
      if (isPartial && given.length < parts.length) return undefined;
      return personNameProblem(given.join(" "));
    },
  };
  const problemOf = (part: string) =>
    allowsDash && part === "-" ? undefined : namePartProblem(part);
  const needed = allowsDash ? "has a letter, or is a dash for none" : "has a letter";
  const own = parts.map((field) => nameRule(field, `\`${field}\` ${needed}.`, problemOf, when));
  return [...own, whole];
}
