import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** AES-256-GCM under a named key; the context (merchant | record id | field) is authenticated. */
export type Sealer = ReturnType<typeof createSealer>;

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;
const keyLength = 32;

type NamedKey = readonly [keyId: string, key: Buffer];

/** The keys of the setting `ENCRYPTION_KEYS`, the current one first. */
function readKeys(encryptionKeys: string): readonly [NamedKey, ...NamedKey[]] {
  const [first, ...others] = encryptionKeys.split(",").map((pair): NamedKey => {
    const [keyId = "", secret = ""] = pair.split(":");
    const key = Buffer.from(secret, "base64");
    if (keyId === "" || key.length !== keyLength) throw new Error("an encryption key is malformed");
    return [keyId, key];
  });
  if (first === undefined) throw new Error("no encryption key");
  return [first, ...others];
}

/**
 * A sealer from the setting `ENCRYPTION_KEYS` (`key_id:base64,…`). The first key seals; the others
 * open what was sealed before a rotation. Format: `key_id.base64url(nonce ‖ tag ‖ ciphertext)`.
 */
export function createSealer(encryptionKeys: string) {
  const all = readKeys(encryptionKeys);
  const keys = new Map(all);
  const [[sealingKeyId, sealingKey]] = all;
  return {
    seal: (plain: string, context: string): string => {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, sealingKey, nonce);
      cipher.setAAD(Buffer.from(`${sealingKeyId}|${context}`));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      const packed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
      return `${sealingKeyId}.${packed.toString("base64url")}`;
    },
    /** Throws where the text was altered, has another context, or its key is not configured. */
    open: (sealed: string, context: string): string => {
      const [keyId = "", text = ""] = sealed.split(".");
      const key = keys.get(keyId);
      if (key === undefined) throw new Error("sealed under a key that is not among the settings");
      const packed = Buffer.from(text, "base64url");
      const decipher = createDecipheriv(algorithm, key, packed.subarray(0, nonceLength));
      decipher.setAAD(Buffer.from(`${keyId}|${context}`));
      decipher.setAuthTag(packed.subarray(nonceLength, nonceLength + tagLength));
      const body = packed.subarray(nonceLength + tagLength);
      return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
    },
    /** Whether the current key sealed this; else it must be resealed before its key goes. */
    isCurrent: (sealed: string): boolean => sealed.startsWith(`${sealingKeyId}.`),
  };
}

/**
 * Hashes of values that must be found at rest but not read: HMAC-SHA-256 under a key derived
 * (HKDF-SHA-256) from the sealing key and a purpose. Guessing values needs the key, and hashes of
 * two purposes cannot be compared.
 */
export type KeyedHash = {
  /** The key's id: after a rotation the hashes differ. */
  readonly keyId: string;
  /** 32 bytes. */
  hash(text: string): Buffer;
};

/** A purpose's keyed hash under each key: the first makes new hashes, the others find old ones. */
export function createKeyedHashes(
  encryptionKeys: string,
  purpose: string,
): readonly [KeyedHash, ...KeyedHash[]] {
  const derive = ([keyId, master]: NamedKey): KeyedHash => {
    const key = Buffer.from(hkdfSync("sha256", master, "", `disburse ${purpose}`, keyLength));
    return { keyId, hash: (text) => createHmac("sha256", key).update(text).digest() };
  };
  const [first, ...others] = readKeys(encryptionKeys);
  return [derive(first), ...others.map(derive)];
}
