import type { ListedEvidence } from "./evidence.ts";

/** Names are tokenised and weighed by the type of their entry. */
export const entryTypes = ["individual", "entity", "vessel", "aircraft"] as const;
/** A person, a company or other organisation, a ship or an aircraft. */
export type EntryType = (typeof entryTypes)[number];

/** A list's publisher (OFAC) marks an alias as weak if it is too broad to identify by itself. */
export type NameKind = "primary" | "alias" | "weak";

/** A name in the spelling of the list. */
export type ListedName = { readonly name: string; readonly kind: NameKind };

/** A list entry. A hit carries the indexed object, so an entry may have more fields. */
export type NamedEntry = ListedEvidence & {
  readonly type: EntryType;
  /** At least one name, with the primary name first if there is one. */
  readonly names: readonly ListedName[];
};
