import type { ListedEvidence } from "./evidence.ts";

/** The types of entries. The type decides how a name is tokenised and weighed. */
export const entryTypes = ["individual", "entity", "vessel", "aircraft"] as const;
/** A person, a company or other organisation, a ship or an aircraft. */
export type EntryType = (typeof entryTypes)[number];

/**
 * The kind of a name. A publisher such as OFAC marks an alias as weak if the alias is too broad to
 * identify a party by itself.
 */
export type NameKind = "primary" | "alias" | "weak";

/** A name in the spelling of the list. */
export type ListedName = { readonly name: string; readonly kind: NameKind };

/** A list entry. A hit carries the indexed object, so an entry may have more fields. */
export type NamedEntry = ListedEvidence & {
  readonly type: EntryType;
  /** At least one name, with the primary name first if there is one. */
  readonly names: readonly ListedName[];
};
