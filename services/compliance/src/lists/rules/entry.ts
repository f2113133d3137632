import { createHash } from "node:crypto";
import type { NamedEntry } from "@disburse/name-matcher/entry.ts";

/** A document in the form of the list. */
export type ListedDocument = {
  readonly type: string;
  readonly number: string;
  readonly country: string;
};
/** Document types that mean a BIC. `BIK (RU)` is a different number. */
const bicType = /\bswift\b|\bbic\b/i;

/**
 * True if a document is a BIC. A BIC identifies a bank, so it is not compared with parties'
 * documents.
 */
export function isBic({ type }: Pick<ListedDocument, "type">): boolean {
  return bicType.test(type);
}

/**
 * A wallet of an entry. `currency` is the publisher's ticker and only a hint. The format of the
 * address decides its network.
 */
export type ListedWallet = { readonly currency: string; readonly address: string };

export type ListEntry = Omit<NamedEntry, "documents"> & {
  readonly uid: string;
  /** The publisher, if the imported list combines several publishers. Otherwise "". */
  readonly source: string;
  readonly documents: readonly ListedDocument[];
  readonly wallets: readonly ListedWallet[];
  readonly programs: readonly string[];
};

/**
 * The entries in which two states of a list differ. A changed entry has its old and its new form.
 */
export type EntryDifference = {
  readonly added: readonly ListEntry[];
  readonly changed: readonly { readonly before: ListEntry; readonly after: ListEntry }[];
  readonly removed: readonly ListEntry[];
};

/** An entry that differs. `before` or `after` is absent if that side lacks the entry. */
export type DifferingEntry = {
  readonly uid: string;
  readonly before?: ListEntry;
  readonly after?: ListEntry;
};

/** Returns removed entries first, because their loss is the graver mistake. */
export function differingEntries({ added, changed, removed }: EntryDifference): DifferingEntry[] {
  return [
    ...removed.map((entry) => ({ uid: entry.uid, before: entry })),
    ...changed.map((both) => ({ uid: both.after.uid, ...both })),
    ...added.map((entry) => ({ uid: entry.uid, after: entry })),
  ];
}

/**
 * Returns the SHA-256 of an entry's compared data, in hexadecimal, regardless of the order of
 * names. If two versions of an entry have the same fingerprint, no new review is needed.
 */
export function entryFingerprint(entry: ListEntry): string {
  const { type, names, births, countries, documents, wallets } = entry;
  const compared = [
    type,
    sorted(names.map(({ name, kind }) => [name, kind])),
    [...births].sort(),
    [...countries].sort(),
    sorted(documents.map(documentText)),
    sorted(wallets.map(({ address }) => [address])),
  ];
  return createHash("sha256").update(JSON.stringify(compared)).digest("hex");
}

function documentText(document: ListedDocument): string[] {
  const { number, country } = document;
  return isBic(document) ? [number, country, "BIC"] : [number, country];
}

const comparedFields = [
  ...(["source", "type", "names", "births", "countries", "documents", "wallets"] as const),
  "programs",
] as const satisfies readonly (keyof ListEntry)[];

/** Returns the names of fields in which two forms of an entry differ, as the API names them. */
export function changedFields(before: ListEntry, after: ListEntry): string[] {
  const text = (value: unknown) => JSON.stringify(value, (_, each: unknown) => inOrder(each));
  return comparedFields.filter((field) => text(before[field]) !== text(after[field]));
}

/** Sorts the fields of objects by name; returns other values unchanged. */
export function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sorted(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
