import type { NamedEntry } from "@disburse/name-matcher/entry.ts";

export type ListedDocument = {
  readonly type: string;
  readonly number: string;
  readonly country: string;
};
/** `currency` is the publisher's ticker: only a hint, the address decides by its form. */
export type ListedWallet = { readonly currency: string; readonly address: string };

/** An entry of a sanctions list. */
export type ListEntry = Omit<NamedEntry, "documents"> & {
  /** Unique in its list. */
  readonly uid: string;
  /** The publisher, where the imported list joins several; else "". */
  readonly source: string;
  readonly documents: readonly ListedDocument[];
  readonly wallets: readonly ListedWallet[];
  readonly programs: readonly string[];
};
