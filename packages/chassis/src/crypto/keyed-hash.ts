import { createHmac, hkdfSync } from "node:crypto";

/**
 * Hashes of what must be found again at rest but not be read: HMAC-SHA-256 under a key that is
 * derived (HKDF-SHA-256) from the sealing key and a purpose. Without the key nobody can try names
 * against them; hashes of one purpose say nothing about those of another.
 */
export type KeyedHash = {
  /** Which of the keys it is: another one, after a rotation, gives other hashes. */
  readonly keyId: string;
  /** 32 bytes. */
  hash(text: string): Buffer;
};

const keyLength = 32;

/**
 * The keyed hash of a purpose under each key of the setting `ENCRYPTION_KEYS`: the first is what
 * new hashes are made with, the others find what was written before a rotation.
 */
export function createKeyedHashes(
  encryptionKeys: string,
  purpose: string,
): readonly [KeyedHash, ...KeyedHash[]] {
  const [first, ...others] = encryptionKeys.split(",").map((pair): KeyedHash => {
    const [keyId = "", secret = ""] = pair.split(":");
    const master = Buffer.from(secret, "base64");
    if (keyId === "" || master.length !== keyLength) {
      throw new Error("an encryption key is malformed");
    }
    const key = Buffer.from(hkdfSync("sha256", master, "", `disburse ${purpose}`, keyLength));
    return { keyId, hash: (text) => createHmac("sha256", key).update(text).digest() };
  });
  if (first === undefined) throw new Error("no encryption key");
  return [first, ...others];
}
