import { bicOf } from "@disburse/kernel/payment-methods/bic.ts";
import { isBic, type ListEntry } from "../../lists/rules/entry.ts";

/** The bank of an account or the custodian of a wallet, as its owner states it. "" means unknown. */
export type Bank = {
  readonly name: string;
  readonly bic: string;
  /** ISO 3166 alpha-2. */
  readonly country: string;
};

/**
 * The first 8 characters of a BIC: institution, country and location (ISO 9362). The rest
 * identifies a branch of the same bank.
 */
const institutionLength = 8;

/** The compared part of a BIC; `undefined` if the text is not a BIC. */
export function bicKey(bic: string): string | undefined {
  return bicOf(bic)?.slice(0, institutionLength);
}

/** The keys of an entry's listed BICs. */
export function listedBicKeys({ documents }: Pick<ListEntry, "documents">): string[] {
  const keys = documents
    .filter(isBic)
    .map(({ number }) => bicKey(number))
    .filter((key) => key !== undefined);
  return [...new Set(keys)];
}

export type BankIndex = ReturnType<typeof buildBankIndex>;

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
    /** Returns entries with exactly this BIC. */
    find: (bic: string): readonly ListEntry[] => listed.get(bicKey(bic) ?? "") ?? [],
  };
}
