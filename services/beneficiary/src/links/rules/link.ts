import type { Violation } from "@disburse/kernel/refusal.ts";
import { type Fields, textOf } from "../../records/rules/private-fields.ts";
import { contactProblem, displayNameProblem } from "./page-text.ts";

/** What of a link's texts the page must not show, by field. */
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

/** Where a link stands; `submitted`: its details are stored, and no beneficiary is made yet. */
export type LinkState = "open" | "submitted" | "used" | "revoked";

/** A link's state as it is shown: what was submitted is used, what is over is expired. */
export function shownState(
  { state, expiresAt }: { readonly state: LinkState; readonly expiresAt: Date },
  now: Date,
): "open" | "used" | "expired" | "revoked" {
  if (state === "submitted") return "used";
  return state === "open" && now >= expiresAt ? "expired" : state;
}

/** Names that a merchant may set for its beneficiary. */
const lockedNames = [
  "beneficiary_name",
  "beneficiary_first_name",
  "beneficiary_last_name",
] as const;

/** What the merchant has set, by the names of the beneficiary's fields. */
export function prefilledOf(link: Fields): Readonly<Record<string, string>> {
  const names = lockedNames.filter((name) => textOf(link, name) !== "");
  return Object.fromEntries(names.map((name) => [name, textOf(link, name)]));
}
