import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/**
 * Encryption at rest: AES-256-GCM under a named key. What is sealed for one place cannot be opened
 * as another's: `context` (merchant | record id | field) is authenticated with it.
 */
export type Sealer = {
  seal(plain: string, context: string): string;
  /** Throws when the text was altered, belongs elsewhere, or its key is not among the settings. */
  open(sealed: string, context: string): string;
  /**
   * Whether the key that seals now sealed this. What an older one sealed has to be sealed anew
   * before that key can leave the settings.
   */
  isCurrent(sealed: string): boolean;
};

const algorithm = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/**
 * A sealer from the setting `ENCRYPTION_KEYS` (`key_id:base64,…`). The first key seals; the others
 * open what was sealed before a rotation. Sealed text: `key_id.base64url(nonce ‖ tag ‖
 * ciphertext)`.
 */
export function createSealer(encryptionKeys: string): Sealer {
  const keys = new Map<string, Buffer>();
  for (const pair of encryptionKeys.split(",")) {
    const [keyId = "", secret = ""] = pair.split(":");
    const key = Buffer.from(secret, "base64");
    if (keyId === "" || key.length !== 32) throw new Error("an encryption key is malformed");
    keys.set(keyId, key);
  }
  const [first] = keys;
  if (first === undefined) throw new Error("no encryption key");
  const [sealingKeyId, sealingKey] = first;
  return {
    seal: (plain, context) => {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, sealingKey, nonce);
      cipher.setAAD(Buffer.from(`${sealingKeyId}|${context}`));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      const packed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
      return `${sealingKeyId}.${packed.toString("base64url")}`;
    },
    open: (sealed, context) => {
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
    isCurrent: (sealed) => sealed.startsWith(`${sealingKeyId}.`),
  };
}
