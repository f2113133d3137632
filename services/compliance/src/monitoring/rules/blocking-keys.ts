import { entryBlockingKeys, partyBlockingKeys } from "@disburse/name-matcher/blocking-keys.ts";
import type { ListEntry } from "../../lists/rules/entry.ts";
import type { ScreeningQuery } from "../../screening/rules/screening.ts";
import { canonicalWallet, type WalletFamily, walletFamilies } from "../../wallets/rules/wallet.ts";

/** Keys of all parties and wallets of a request, each once. */
export function requestKeys({ parties, wallets }: ScreeningQuery): Set<string> {
  const keys = new Set<string>();
  for (const party of parties) for (const key of partyBlockingKeys(party)) keys.add(key);
  for (const { families, address } of wallets) addWalletKeys(keys, families, address);
  return keys;
}

/** Keys of an entry, each once. */
export function entryKeys(entry: ListEntry): Set<string> {
  const keys = entryBlockingKeys(entry);
  for (const { address } of entry.wallets) addWalletKeys(keys, walletFamilies, address);
  return keys;
}

function addWalletKeys(
  keys: Set<string>,
  families: readonly WalletFamily[],
  address: string,
): void {
  for (const family of families) {
    const canonical = canonicalWallet(family, address);
    if (canonical !== undefined) keys.add(`wallet ${family} ${canonical}`);
  }
}
