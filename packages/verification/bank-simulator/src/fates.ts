import { hundredths } from "./amounts.ts";
import type { Instructed } from "./instructions.ts";

/** Payment outcomes. README.md describes the bank's answers to each. */
export const fates = [
  "settled",
  "rejected",
  "duplicate",
  "returned",
  "returned-short",
  "waiting",
  "contested",
  "changed",
] as const;

export type Fate = (typeof fates)[number];

export type FateOf = (payment: Instructed) => Fate;

/** Matches payments by amount, `12.34`, or by a text in the name. */
export type FateRule = {
  readonly fate: Fate;
  readonly amount?: string;
  /** Part of the creditor's name, case-insensitive. */
  readonly name?: string;
};

/** The first matching rule decides. Other payments settle. */
export function fatesByRules(rules: readonly FateRule[]): FateOf {
  return ({ minor, creditorName }) => {
    const name = creditorName.toLowerCase();
    const found = rules.find((rule) => {
      const isAmount = rule.amount === undefined || hundredths(rule.amount) === minor;
      return isAmount && name.includes((rule.name ?? "").toLowerCase());
    });
    return found?.fate ?? "settled";
  };
}

/** Assigns outcomes in order of arrival. Payments after the end of the list settle. */
export function fatesInOrder(list: readonly Fate[]): FateOf {
  const left = [...list];
  return () => left.shift() ?? "settled";
}
