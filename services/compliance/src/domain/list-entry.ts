/** An entry of a sanctions list, as screening compares it. */
export const entryTypes = ["individual", "entity", "vessel", "aircraft"] as const;
export type EntryType = (typeof entryTypes)[number];

/**
 * A weak name is one that its publisher calls so: a nickname, too broad to be searched by alone.
 */
export type NameKind = "primary" | "alias" | "weak";

export type ListedName = { readonly name: string; readonly kind: NameKind };
export type ListedDocument = {
  readonly type: string;
  readonly number: string;
  readonly country: string;
};
/** `currency` is the publisher's ticker: only a hint, the address decides by its form. */
export type ListedWallet = { readonly currency: string; readonly address: string };

export type ListEntry = {
  /** Unique in its list. */
  readonly uid: string;
  /** The publisher, where the imported list joins several; else "". */
  readonly source: string;
  readonly type: EntryType;
  /** At least one, the primary name first where there is one. */
  readonly names: readonly ListedName[];
  /** Of birth, or of incorporation: `yyyy`, `yyyy-mm` or `yyyy-mm-dd`. */
  readonly births: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countries: readonly string[];
  readonly documents: readonly ListedDocument[];
  readonly wallets: readonly ListedWallet[];
  readonly programs: readonly string[];
};
