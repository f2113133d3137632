import { createHash } from "node:crypto";
import type { ListEntry } from "./entry.ts";

/**
 * SHA-256 over what is compared of an entry, in hexadecimal: equal for two versions of an entry
 * that nobody needs to look at anew. In which order a list gives its names says nothing.
 */
export function entryFingerprint(entry: ListEntry): string {
  const { type, names, births, countries, documents, wallets } = entry;
  const compared = [
    type,
    sorted(names.map(({ name, kind }) => [name, kind])),
    [...births].sort(),
    [...countries].sort(),
    sorted(documents.map(({ number, country }) => [number, country])),
    sorted(wallets.map(({ address }) => [address])),
  ];
  return createHash("sha256").update(JSON.stringify(compared)).digest("hex");
}

function sorted(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
