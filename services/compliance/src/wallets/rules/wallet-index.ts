import type { ListEntry } from "../../lists/rules/entry.ts";
import { canonicalWallet, type WalletFamily, walletFamilies, walletFamily } from "./wallet.ts";

/** An entry that lists a wallet. */
export type WalletHit = {
  readonly entry: ListEntry;
  /** The entry's primary name, as the list writes it. */
  readonly matchedName: string;
  readonly reasons: readonly [{ readonly kind: "wallet"; text: string; effect: number }];
};

export type WalletIndex = {
  /** The entries that list this address in one of the families; equal or nothing, no score. */
  find(families: readonly WalletFamily[], address: string): WalletHit[];
};

type Listed = { readonly entry: ListEntry; readonly currency: string };

/**
 * Indexes every listed address under each family whose address it can be: the list's ticker is only
 * a hint (a `USDT` address may be of three networks). Addresses of networks that are not ours fall
 * out.
 */
export function buildWalletIndex(entries: Iterable<ListEntry>): WalletIndex {
  const listed = new Map<string, Listed[]>();
  for (const entry of entries) {
    for (const { currency, address } of entry.wallets) {
      for (const family of walletFamilies) {
        const canonical = canonicalWallet(family, address);
        if (canonical === undefined) continue;
        const key = `${family}:${canonical}`;
        const same = listed.get(key);
        if (same === undefined) listed.set(key, [{ entry, currency }]);
        else if (same.every((other) => other.entry !== entry)) same.push({ entry, currency });
      }
    }
  }
  return {
    find: (families, address) =>
      families.flatMap((family) => {
        const canonical = canonicalWallet(family, address);
        return (listed.get(`${family}:${canonical}`) ?? []).map(walletHit);
      }),
  };
}

function walletHit({ entry, currency }: Listed): WalletHit {
  const as = currency === "" ? "" : ` as ${currency}`;
  return {
    entry,
    matchedName: entry.names[0]?.name ?? "",
    reasons: [{ kind: "wallet", text: `wallet: this address is listed${as}`, effect: 1 }],
  };
}

/**
 * The families to compare an address in: those of the networks, or all that it can be of when none
 * is named. `undefined` when a network is not ours or the address is not of one: what cannot be
 * read must not be cleared.
 */
export function walletFamiliesOf(
  networks: readonly string[],
  address: string,
): readonly WalletFamily[] | undefined {
  const asked = networks.length === 0 ? walletFamilies : networks.map(walletFamily);
  const families = new Set<WalletFamily>();
  for (const family of asked) {
    if (family !== undefined && canonicalWallet(family, address) !== undefined)
      families.add(family);
    else if (networks.length > 0) return undefined;
  }
  return families.size === 0 ? undefined : [...families];
}
