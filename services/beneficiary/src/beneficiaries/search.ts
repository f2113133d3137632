import type { KeyedHash } from "@disburse/chassis/crypto/sealing.ts";
import type { Opened } from "../records/store.ts";
import { destinationKeys, keysCompared } from "./destination.ts";
import type { Beneficiary } from "./rules/beneficiary.ts";
import { type Term, termsOf } from "./rules/search-terms.ts";

/** The purpose of the hashes of search terms. If you change it, lists find no stored beneficiary. */
export const searchPurpose = "search";

/** Keyed hashes of what beneficiaries are found by, the current key first. */
export type Hashes = {
  readonly terms: readonly KeyedHash[];
  readonly destinations: readonly KeyedHash[];
};

/** With 128 bits, no two terms of a database share a hash. */
const termBytes = 16;

/** Hashes a term with the merchant's id, so that equal names of two merchants differ. */
function hashOf({ hash }: KeyedHash, merchantId: string, term: Term): string {
  const digest = hash(JSON.stringify([merchantId, ...term]));
  return digest.subarray(0, termBytes).toString("base64url");
}

/**
 * Returns the entries that a beneficiary is found by: the hashes of its terms and of its
 * destination. They are sorted, because their order would reveal which of them belong to one word.
 */
export function searchEntries(
  { terms, destinations }: Hashes,
  opened: Pick<Opened<Beneficiary>, "record" | "whole">,
): string[] {
  const { record, whole } = opened;
  const entries = terms
    .slice(0, 1)
    .flatMap((key) =>
      termsOf(record.name, whole).map((term) => hashOf(key, record.merchantId, term)),
    );
  return [...entries, ...destinationKeys(destinations, opened).slice(0, 1)].sort();
}

/** Returns the possible entries of each wanted term, one for each key that may have made them. */
export function wantedEntries({ terms }: Hashes, merchantId: string, wanted: readonly Term[]) {
  const keys = terms.slice(0, keysCompared);
  return wanted.map((term) => keys.map((key) => hashOf(key, merchantId, term)));
}
