import type { ListedEvidence } from "./evidence.ts";

/** What can be listed; its names are read and weighed by its type. */
export const entryTypes = ["individual", "entity", "vessel", "aircraft"] as const;
/** What an entry is; see `entryTypes`. */
export type EntryType = (typeof entryTypes)[number];

/**
 * A weak name is one that its publisher calls so: a nickname, too broad to be searched by alone.
 */
export type NameKind = "primary" | "alias" | "weak";

/** A name as the list writes it. */
export type ListedName = { readonly name: string; readonly kind: NameKind };

/**
 * A list entry, as far as it is compared. A hit carries the very object that was indexed, so an
 * entry may have more fields.
 */
export type NamedEntry = ListedEvidence & {
  readonly type: EntryType;
  /** At least one, the primary name first where there is one. */
  readonly names: readonly ListedName[];
};
