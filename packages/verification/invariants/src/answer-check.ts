import { createDecipheriv } from "node:crypto";
import type { IdempotencyKey } from "./documents.ts";
import { expectationsOf, type Finding } from "./finding.ts";

/** Maps an id's prefix to the collection of records that answers can name. */
const collections = {
  ben: "beneficiaries",
  po: "payouts",
  qt: "quotes",
  whe: "endpoints",
} as const;

export type NamedRecord = {
  readonly collection: (typeof collections)[keyof typeof collections];
  readonly id: string;
};

/** Decrypts a value sealed by the gateway. Returns `undefined` on failure. */
export type OpenSealed = (sealed: string, context: string) => string | undefined;

const nonceLength = 12;
const tagLength = 16;

/** A key of the gateway, wrapped by a key of `ENCRYPTION_KEYS`: `data_keys`. */
export type DataKey = { readonly _id: string; readonly wrapped: string };

/**
 * Returns a decryption function. Uses the setting `ENCRYPTION_KEYS` (`key_id:base64,…`) and the
 * gateway's data keys, which are encrypted with those keys. The cipher is AES-256-GCM. The text is
 * `key_id.base64url(nonce ‖ tag ‖ ciphertext)`. Key id and context are authenticated.
 */
export function openerOf(encryptionKeys: string, dataKeys: readonly DataKey[] = []): OpenSealed {
  const pairs = encryptionKeys.split(",").map((pair) => pair.split(":"));
  const ring = new Map(pairs.map(([id = "", text = ""]) => [id, Buffer.from(text, "base64")]));
  const unwrap = openerUnder(ring);
  const keys = new Map(ring);
  for (const { _id, wrapped } of dataKeys) {
    const text = unwrap(wrapped, `data key|gateway|${_id}`);
    if (text !== undefined) keys.set(_id, Buffer.from(text, "base64"));
  }
  return openerUnder(keys);
}

function openerUnder(keys: ReadonlyMap<string, Buffer>): OpenSealed {
  return (sealed, context) => {
    const [keyId = "", text = ""] = sealed.split(".");
    const key = keys.get(keyId);
    if (key === undefined) return undefined;
    const packed = Buffer.from(text, "base64url");
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, packed.subarray(0, nonceLength));
      decipher.setAAD(Buffer.from(`${keyId}|${context}`));
      decipher.setAuthTag(packed.subarray(nonceLength, nonceLength + tagLength));
      const body = packed.subarray(nonceLength + tagLength);
      return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined;
    }
  };
}

/** Returns the record named by a stored answer, or `"sealed"` if it can't be decrypted. */
export function namedBy(key: IdempotencyKey, open: OpenSealed): NamedRecord | "sealed" | undefined {
  const { sealed_answer } = key.progress;
  if (sealed_answer === undefined) return undefined;
  const text = open(sealed_answer, `${key.merchant_id}|${key._id}|answer`);
  if (text === undefined) return "sealed";
  const { body } = JSON.parse(text) as { body: string };
  const { data } = JSON.parse(body) as { data?: { id?: unknown; beneficiary_id?: unknown } };
  const id = data?.id ?? data?.beneficiary_id;
  if (typeof id !== "string") return undefined;
  const prefix = id.slice(0, id.indexOf("_"));
  if (!(prefix in collections)) return undefined;
  return { id, collection: collections[prefix as keyof typeof collections] };
}

/** Checks an idempotency key. `record` is the record that the stored answer names, if any. */
export function checkAnswer(
  key: IdempotencyKey,
  named: NamedRecord | "sealed" | undefined,
  record: { readonly merchant_id: string } | undefined,
): Finding[] {
  const { findings, expect } = expectationsOf(key._id);
  const { state, sealed_answer } = key.progress;
  const isKnown = ["running", "open", "done"].includes(state);
  expect(6, isKnown, `has the state ${state}`);
  expect(
    6,
    (state === "done") === (sealed_answer !== undefined),
    `is ${state}, which contradicts its stored response`,
  );
  expect(6, named !== "sealed", "its stored response cannot be decrypted");
  if (typeof named !== "object") return findings;
  const what = `its stored response names ${named.id}`;
  expect(5, record !== undefined, `${what}, which does not exist`);
  const isOwn = record === undefined || record.merchant_id === key.merchant_id;
  expect(12, isOwn, `${what}, which belongs to another merchant`);
  return findings;
}
