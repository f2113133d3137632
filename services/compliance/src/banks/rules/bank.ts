import { bicOf } from "@disburse/kernel/payment-methods/bic.ts";
import { isBic, type ListEntry } from "../../lists/rules/entry.ts";

/** The bank that holds an account, as its owner names it; "" where it is not known. */
export type Bank = { readonly name: string; readonly bic: string };

/** Institution, country and location of a BIC (ISO 9362); a branch is of the same bank. */
const institutionLength = 8;

/** The characters that BICs are compared by; `undefined` for a text that is no BIC. */
export function bicKey(bic: string): string | undefined {
  return bicOf(bic)?.slice(0, institutionLength);
}

/** The keys of the BICs that a list gives for an entry. */
export function listedBicKeys({ documents }: Pick<ListEntry, "documents">): string[] {
  const keys = documents
    .filter(isBic)
    .map(({ number }) => bicKey(number))
    .filter((key) => key !== undefined);
  return [...new Set(keys)];
}

/** Finds listed banks by their BIC. */
export type BankIndex = ReturnType<typeof buildBankIndex>;

/** Indexes the entries that have a BIC. */
export function buildBankIndex(entries: Iterable<ListEntry>) {
  const listed = new Map<string, ListEntry[]>();
  for (const entry of entries) {
    for (const key of listedBicKeys(entry)) {
      const same = listed.get(key);
      if (same === undefined) listed.set(key, [entry]);
      else same.push(entry);
    }
  }
  return {
    /** The entries of this BIC; equal or nothing, no score. */
    find: (bic: string): readonly ListEntry[] => listed.get(bicKey(bic) ?? "") ?? [],
  };
}
