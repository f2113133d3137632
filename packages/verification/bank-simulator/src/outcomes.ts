import { hundredths } from "./amounts.ts";
import type { Instructed } from "./instructions.ts";

/** Payment outcomes. README.md describes the bank's answers to each. */
export const outcomes = [
  "settled",
  "rejected",
  "duplicate",
  "returned",
  "returned-short",
  "waiting",
  "contested",
  "changed",
] as const;

export type Outcome = (typeof outcomes)[number];

export type OutcomeOf = (payment: Instructed) => Outcome;

/** Matches payments by amount, `12.34`, or by a text in the name. */
export type OutcomeRule = {
  readonly outcome: Outcome;
  readonly amount?: string;
  /** A part of the creditor's name. Case is ignored. */
  readonly name?: string;
};

/** Uses the first rule that matches. Payments without a matching rule settle. */
export function outcomesByRules(rules: readonly OutcomeRule[]): OutcomeOf {
  return ({ minor, creditorName }) => {
    const name = creditorName.toLowerCase();
    const found = rules.find((rule) => {
      const isAmount = rule.amount === undefined || hundredths(rule.amount) === minor;
      return isAmount && name.includes((rule.name ?? "").toLowerCase());
    });
    return found?.outcome ?? "settled";
  };
}

/**
 * Assigns the outcomes to payments in order of arrival. When the list is used up, payments settle.
 */
export function outcomesInOrder(list: readonly Outcome[]): OutcomeOf {
  const left = [...list];
  return () => left.shift() ?? "settled";
}
