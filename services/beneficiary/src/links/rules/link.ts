import type { Violation } from "@disburse/kernel/refusal.ts";
import { type Fields, textOf } from "../../records/rules/private-fields.ts";
import { contactProblem, displayNameProblem } from "./page-text.ts";

/** Returns the violations among the link's texts that the public page shows. */
export function pageViolations(link: Fields, registeredName: string): Violation[] {
  const display = displayNameProblem(textOf(link, "display_name"), registeredName);
  const problems: [string, string | undefined][] = [
    ["display_name", display],
    ...lockedNames.map((name): [string, string | undefined] => [
      name,
      contactProblem(textOf(link, name)),
    ]),
  ];
  return problems.flatMap(([field, problem]) =>
    problem === undefined ? [] : [{ field, problem }],
  );
}

/** `submitted`: the details are stored, but the beneficiary is not created yet. */
export type LinkState = "open" | "submitted" | "used" | "revoked";

/** Shows `submitted` as used, and an open link past its expiry as expired. */
export function shownState(
  { state, expiresAt }: { readonly state: LinkState; readonly expiresAt: Date },
  now: Date,
): "open" | "used" | "expired" | "revoked" {
  if (state === "submitted") return "used";
  return state === "open" && now >= expiresAt ? "expired" : state;
}

/** The parts of the name that the merchant and the platform show. */
export const nameFields = [
  "beneficiary_name",
  "beneficiary_first_name",
  "beneficiary_last_name",
] as const;

/** The name that a bank receives instead. */
export const latinName = "beneficiary_name_latin";

/** Name fields that a merchant may prefill for its beneficiary. */
const lockedNames = [...nameFields, latinName] as const;

/** Returns the merchant's values under the beneficiary's field names. */
export function prefilledOf(link: Fields): Readonly<Record<string, string>> {
  const set = lockedNames.filter((name) => textOf(link, name) !== "");
  return Object.fromEntries(set.map((name) => [name, textOf(link, name)]));
}
