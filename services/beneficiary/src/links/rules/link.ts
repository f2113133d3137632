import { type Fields, textOf } from "../../records/rules/private-fields.ts";

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
