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
 * Blocking keys as they are stored with a subject, each a whole number below 2^48: unreadable
 * without the deployment's key.
 */
export type BlockingHashes = ReturnType<typeof createBlockingHashes>;

/**
 * 48 bits are exact as a number. Of thirty million keys one meets another one of ten million by
 * chance; then a subject is screened again needlessly.
 */
const hashBytes = 6;
/** Some 2 ms. */
const sliceSize = 1_000;
/** A company with 50 owners has 8,000; more would cost the store more than comparing whole does. */
const hashesMax = 10_000;
/** In place of too many: every list change concerns the subject. No hash is likely to be 0. */
const everyChange = 0;
/** 1.6 MB of a filter that is sent for each page; a filter has to stay below 16 MB. */
const entriesHashesMax = 100_000;
/** Entries whose keys are made in one turn of the event loop: some 2 ms. */
const entriesSlice = 20;

/** After a rotation of the key every subject is screened again once, and so gets new ones. */
export function createBlockingHashes({ keyId, hash }: KeyedHash) {
  const add = async (keys: Iterable<string>, hashes: Set<number>): Promise<void> => {
    let made = 0;
    for (const key of keys) {
      hashes.add(hash(key).readUIntBE(0, hashBytes));
      made += 1;
      if (made % sliceSize === 0) await nextTurn();
    }
  };
  return {
    /** Which key and which rules made them; hashes of others never match. */
    keyring: `${keyId}/${blockingKeysVersion}`,

    /** Those of a subject. */
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

    /** Those of all subjects that one of these entries may concern; `undefined` for too many. */
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

/** Keys of all parties, wallets and banks of a request, each once. */
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

/** Keys of an entry, each once. */
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
