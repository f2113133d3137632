import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyedHash } from "@disburse/chassis/crypto/sealing.ts";
import {
  blockingKeysVersion,
  entryBlockingKeys,
  partyBlockingKeys,
} from "@disburse/name-matcher/blocking-keys.ts";
import { bicKey, listedBicKeys } from "../banks/rules/bank.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import type { ScreeningQuery } from "../screening/rules/screening.ts";
import { canonicalWallet, type WalletFamily, walletFamilies } from "../wallets/rules/wallet.ts";

/**
 * Computes hashed blocking keys, which are stored with a subject. Each is an integer below 2^48,
 * and meaningless without the deployment's key.
 */
export type BlockingHashes = ReturnType<typeof createBlockingHashes>;

/**
 * The length of a hash. A JavaScript number holds 48 bits exactly. With 30 million stored and 10
 * million changed keys, about one pair collides by chance. A collision only causes an unnecessary
 * screening.
 */
const hashBytes = 6;
/** The keys to hash in one turn of the event loop, which takes about 2 ms. */
const sliceSize = 1_000;
/**
 * The maximum hashes of a subject. A company with 50 owners has 8,000. With more, comparing all
 * lists is cheaper than storing the hashes.
 */
const hashesMax = 10_000;
/**
 * Stored for a subject with too many keys. Every list change then concerns the subject. A real hash
 * is practically never 0.
 */
const everyChange = 0;
/**
 * The maximum hashes of changed entries. They make a filter of 1.6 MB, which is sent for each page.
 * A filter must stay below 16 MB.
 */
const entriesHashesMax = 100_000;
/** The entries to hash in one turn of the event loop, which takes about 2 ms. */
const entriesSlice = 20;

/** After a rotation of the key, every subject is screened again once and gets new hashes. */
export function createBlockingHashes({ keyId, hash }: KeyedHash) {
  const add = async (keys: Iterable<string>, hashes: Set<number>): Promise<void> => {
    let count = 0;
    for (const key of keys) {
      hashes.add(hash(key).readUIntBE(0, hashBytes));
      count += 1;
      if (count % sliceSize === 0) await nextTurn();
    }
  };
  return {
    /** The hash key and the version of the blocking keys. Hashes of another keyring never match. */
    keyring: `${keyId}/${blockingKeysVersion}`,

    ofRequest: async ({ parties, wallets, banks = [] }: ScreeningQuery): Promise<number[]> => {
      const hashes = new Set<number>();
      const parts = parties.map((party) => ({ parties: [party], wallets: [] }));
      for (const part of [{ parties: [], wallets, banks }, ...parts]) {
        await add(requestKeys(part), hashes);
        if (hashes.size > hashesMax) return [everyChange];
        if (parties.length > 1) await nextTurn();
      }
      return [...hashes];
    },

    /**
     * Returns the hashes by which subjects are found that these entries may concern. Returns
     * `undefined` if there are too many.
     */
    ofEntries: async (entries: readonly ListEntry[]): Promise<number[] | undefined> => {
      if (entries.length === 0) return [];
      const keys = new Set<string>();
      for (const [at, entry] of entries.entries()) {
        for (const key of entryKeys(entry)) keys.add(key);
        if (keys.size > entriesHashesMax) return undefined;
        if (at % entriesSlice === entriesSlice - 1) await nextTurn();
      }
      const hashes = new Set([everyChange]);
      await add(keys, hashes);
      return [...hashes];
    },
  };
}

/** Returns each key of a request's parties, wallets and banks once. */
export function requestKeys({ parties, wallets, banks = [] }: ScreeningQuery): Set<string> {
  const keys = new Set<string>();
  for (const { name, bic } of banks) {
    const party = { type: "entity", name, date: "", countries: [], documents: [] } as const;
    for (const key of partyBlockingKeys(party)) keys.add(key);
    const bank = bicKey(bic);
    if (bank !== undefined) keys.add(`bank ${bank}`);
  }
  for (const party of parties) for (const key of partyBlockingKeys(party)) keys.add(key);
  for (const { families, address } of wallets) addWalletKeys(keys, families, address);
  return keys;
}

/** Returns each key of an entry once. */
export function entryKeys(entry: ListEntry): Set<string> {
  const keys = entryBlockingKeys(entry);
  for (const { address } of entry.wallets) addWalletKeys(keys, walletFamilies, address);
  for (const bank of listedBicKeys(entry)) keys.add(`bank ${bank}`);
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
