import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Seals (encrypts) texts for a context (merchant | record id | field). The context is
 * authenticated: opening a text requires the same context.
 */
export type Sealer = {
  readonly seal: (plain: string, context: string) => string;
  /** Throws if the text was changed, if the context is different, or if the key is missing. */
  readonly open: (sealed: string, context: string) => string;
  /** Returns true if the text need not be sealed again. */
  readonly isCurrent: (sealed: string) => boolean;
};

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;
/** The length of a data key in bytes. */
export const dataKeyLength = 32;

export type NamedKey = readonly [keyId: string, key: Buffer];

/** Returns the keys in the setting `ENCRYPTION_KEYS`, the current one first. */
export function keysOfRing(encryptionKeys: string): readonly [NamedKey, ...NamedKey[]] {
  const [first, ...others] = encryptionKeys.split(",").map((pair): NamedKey => {
    const [keyId = "", secret = ""] = pair.split(":");
    const key = Buffer.from(secret, "base64");
    if (keyId === "" || key.length !== dataKeyLength)
      throw new Error("an encryption key must have an id and 32 bytes in base64");
    return [keyId, key];
  });
  if (first === undefined) throw new Error("at least one encryption key is required");
  return [first, ...others];
}

/**
 * Encrypts a text with AES-256-GCM under a named key. Format: `key_id.base64url(nonce ‖ tag ‖
 * ciphertext)`.
 */
export function sealUnder(keyId: string, key: Buffer, plain: string, context: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce);
  cipher.setAAD(Buffer.from(`${keyId}|${context}`));
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  const packed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
  return `${keyId}.${packed.toString("base64url")}`;
}

/** Throws if the text was changed or the context is different. */
export function openUnder(keyId: string, key: Buffer, sealed: string, context: string): string {
  const packed = Buffer.from(sealed.slice(keyId.length + 1), "base64url");
  const decipher = createDecipheriv(algorithm, key, packed.subarray(0, nonceLength));
  decipher.setAAD(Buffer.from(`${keyId}|${context}`));
  decipher.setAuthTag(packed.subarray(nonceLength, nonceLength + tagLength));
  const body = packed.subarray(nonceLength + tagLength);
  return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
}

/**
 * Creates a sealer from the setting `ENCRYPTION_KEYS` (`key_id:base64,…`). The first key seals; the
 * others open older texts.
 */
export function createSealer(encryptionKeys: string): Sealer {
  const all = keysOfRing(encryptionKeys);
  const keys = new Map(all);
  const [[sealingKeyId, sealingKey]] = all;
  return {
    seal: (plain, context) => sealUnder(sealingKeyId, sealingKey, plain, context),
    open: (sealed, context) => {
      const [keyId = ""] = sealed.split(".");
      const key = keys.get(keyId);
      if (key === undefined)
        throw new Error("a text is encrypted under a key that is not configured");
      return openUnder(keyId, key, sealed, context);
    },
    isCurrent: (sealed) => sealed.startsWith(`${sealingKeyId}.`),
  };
}

/**
 * Hashes stored values that must be searchable but not readable. Uses HMAC-SHA-256 with a key
 * derived (HKDF-SHA-256) from the sealing key and a purpose. Without the key, no one can guess
 * values, and hashes for two purposes can't be compared.
 */
export type KeyedHash = {
  /** The key's id. A key rotation changes the hashes. */
  readonly keyId: string;
  /** Returns a hash of 32 bytes. */
  hash(text: string): Buffer;
};

/**
 * Creates the keyed hashes for a purpose. The first key creates new hashes. The others find
 * existing ones.
 */
export function createKeyedHashes(
  encryptionKeys: string,
  purpose: string,
): readonly [KeyedHash, ...KeyedHash[]] {
  const derive = ([keyId, master]: NamedKey) => keyedHash([keyId, hashKeyOf(master, purpose)]);
  const [first, ...others] = keysOfRing(encryptionKeys);
  return [derive(first), ...others.map(derive)];
}

/** Derives the hash key for a purpose from a key of the ring. */
export function hashKeyOf(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", master, "", `disburse ${purpose}`, dataKeyLength));
}

export function keyedHash([keyId, key]: NamedKey): KeyedHash {
  return { keyId, hash: (text) => createHmac("sha256", key).update(text).digest() };
}
