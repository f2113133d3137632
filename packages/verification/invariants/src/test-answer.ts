import { createCipheriv, randomBytes } from "node:crypto";

/** Encrypts stored answers like the gateway, for tests that decrypt them. */

const key = randomBytes(32);

export const sealingKeys = `k1:${key.toString("base64")}`;

export function sealedAnswer(at: { _id: string; merchant_id: string }, id: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(`k1|${at.merchant_id}|${at._id}|answer`));
  const plain = JSON.stringify({ status: 200, body: JSON.stringify({ data: { id } }) });
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return `k1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
}
