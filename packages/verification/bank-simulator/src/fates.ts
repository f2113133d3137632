import { hundredths } from "./amounts.ts";
import type { Instructed } from "./instructions.ts";

/** What the bank can do with a payment; README.md says what it answers to each. */
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

/** What the bank does with a payment. */
export type Fate = (typeof fates)[number];

/** Decides on each payment, in the order in which they come. */
export type FateOf = (payment: Instructed) => Fate;

/** Which payments have a fate: those of an amount, `12.34`, or with a text in the name. */
export type FateRule = {
  readonly fate: Fate;
  readonly amount?: string;
  /** A part of the creditor's name, in any case. */
  readonly name?: string;
};

/** The first rule that a payment meets decides; all others are settled. */
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

/** Payments get the fates of a list in the order in which they come; those after it are settled. */
export function fatesInOrder(list: readonly Fate[]): FateOf {
  const left = [...list];
  return () => left.shift() ?? "settled";
}
