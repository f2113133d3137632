import { createHash } from "node:crypto";
import type { NamedEntry } from "@disburse/name-matcher/entry.ts";

/** A document as a list gives it. */
export type ListedDocument = {
  readonly type: string;
  readonly number: string;
  readonly country: string;
};
/** How publishers name a BIC among an entry's documents; `BIK (RU)` is another number. */
const bicType = /\bswift\b|\bbic\b/i;

/** Whether a document's number is a BIC, which banks are compared by. */
export function isBic({ type }: Pick<ListedDocument, "type">): boolean {
  return bicType.test(type);
}

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

/** Entries that two states of a list do not share; of a changed one, both forms by its uid. */
export type EntryDifference = {
  readonly added: readonly ListEntry[];
  readonly changed: readonly { readonly before: ListEntry; readonly after: ListEntry }[];
  readonly removed: readonly ListEntry[];
};

/**
 * SHA-256 over what is compared of an entry, in hexadecimal: equal for two versions of an entry
 * that needs no new review. The order of names does not count.
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

/** Objects with their fields in the order of their names; anything else as it is. */
export function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sorted(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
