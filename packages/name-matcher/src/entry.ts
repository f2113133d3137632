import type { ListedEvidence } from "./evidence.ts";

/** The types of list entries; names are tokenised and weighed by type. */
export const entryTypes = ["individual", "entity", "vessel", "aircraft"] as const;
/** A person, a company or organisation, a ship, an aircraft. */
export type EntryType = (typeof entryTypes)[number];

/** A weak alias is one that the list's publisher marks so (OFAC): too broad to identify alone. */
export type NameKind = "primary" | "alias" | "weak";

/** A name as the list writes it. */
export type ListedName = { readonly name: string; readonly kind: NameKind };

/** A list entry. A hit carries the object that was indexed, so an entry may have more fields. */
export type NamedEntry = ListedEvidence & {
  readonly type: EntryType;
  /** At least one; the primary name first where there is one. */
  readonly names: readonly ListedName[];
};
