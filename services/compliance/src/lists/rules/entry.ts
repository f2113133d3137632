import { createHash } from "node:crypto";
import type { NamedEntry } from "@disburse/name-matcher/entry.ts";

/** A document in the form of the list. */
export type ListedDocument = {
  readonly type: string;
  readonly number: string;
  readonly country: string;
};
/** Publishers' names for a BIC among an entry's documents; `BIK (RU)` is another number. */
const bicType = /\bswift\b|\bbic\b/i;

/** A BIC identifies banks, so it is not compared as a document. */
export function isBic({ type }: Pick<ListedDocument, "type">): boolean {
  return bicType.test(type);
}

/** `currency` is the publisher's ticker and only a hint; the form of the address decides. */
export type ListedWallet = { readonly currency: string; readonly address: string };

export type ListEntry = Omit<NamedEntry, "documents"> & {
  readonly uid: string;
  /** The publisher, if the imported list joins several; else "". */
  readonly source: string;
  readonly documents: readonly ListedDocument[];
  readonly wallets: readonly ListedWallet[];
  readonly programs: readonly string[];
};

/** Entries that two states of a list do not share; a changed entry has both forms under its uid. */
export type EntryDifference = {
  readonly added: readonly ListEntry[];
  readonly changed: readonly { readonly before: ListEntry; readonly after: ListEntry }[];
  readonly removed: readonly ListEntry[];
};

/**
 * SHA-256 over the compared data of an entry, in hexadecimal. It is equal for two versions of an
 * entry that need no new review. The order of names does not matter.
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

/** The fields in which two forms of an entry differ, by their names in the contract. */
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
