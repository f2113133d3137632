import { setImmediate as nextTurn } from "node:timers/promises";
import { createKeyedHashes } from "@disburse/chassis/keyed-hash.ts";
import { reverseKeysVersion } from "./domain/reverse-keys.ts";

/** Keys as they are stored with a subject: without the deployment's key nobody can read them. */
export type ReverseHashes = {
  /** Which key and which rules made them; others find nothing among them. */
  readonly keyring: string;
  /** Hashes of keys, each a whole number below 2^48, in slices of the event loop's turns. */
  of(keys: Iterable<string>): Promise<number[]>;
};

/**
 * 48 bits are exact as a number. Of thirty million keys one meets another one of ten million by
 * chance; then a subject is screened again in vain.
 */
const hashBytes = 6;
/** Some 2 ms. */
const sliceSize = 1_000;

/**
 * Hashes under a key derived from the first of the setting `ENCRYPTION_KEYS`. After a rotation
 * every subject is screened again once, and so gets new ones.
 */
export function createReverseHashes(encryptionKeys: string): ReverseHashes {
  const [{ keyId, hash }] = createKeyedHashes(encryptionKeys, "compliance reverse keys");
  return {
    keyring: `${keyId}/${reverseKeysVersion}`,
    of: async (keys) => {
      const hashes: number[] = [];
      for (const key of keys) {
        hashes.push(hash(key).readUIntBE(0, hashBytes));
        if (hashes.length % sliceSize === 0) await nextTurn();
      }
      return hashes;
    },
  };
}
