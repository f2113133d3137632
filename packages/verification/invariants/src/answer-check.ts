import { createDecipheriv } from "node:crypto";
import type { IdempotencyKey } from "./documents.ts";
import { expectationsOf, type Finding } from "./finding.ts";

/** What the answer under an idempotency key names: collections by the prefix of an id. */
const collections = {
  ben: "beneficiaries",
  po: "payouts",
  qt: "quotes",
  whe: "endpoints",
} as const;

/** A record that an answer says there is. */
export type NamedRecord = {
  readonly collection: (typeof collections)[keyof typeof collections];
  readonly id: string;
};

/** Opens what the gateway sealed; `undefined` where that cannot be. */
export type OpenSealed = (sealed: string, context: string) => string | undefined;

const nonceLength = 12;
const tagLength = 16;

/** A key of the gateway's own, wrapped by a key of `ENCRYPTION_KEYS`: `data_keys`. */
export type DataKey = { readonly _id: string; readonly wrapped: string };

/**
 * Opens with the setting `ENCRYPTION_KEYS` (`key_id:base64,…`) and the gateway's data keys, which
 * are sealed under those: AES-256-GCM, the text `key_id.base64url(nonce ‖ tag ‖ ciphertext)`, with
 * key id and place authenticated.
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
      // Altered, or sealed for another place: GCM says no more than that.
      return undefined;
    }
  };
}

/** The record that a kept answer names, if it names one; `"sealed"` where it cannot be read. */
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

/** What is wrong with an idempotency key: `record` is what its answer names, where it names one. */
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
    `is ${state}, against its answer`,
  );
  expect(6, named !== "sealed", "its answer cannot be opened");
  if (typeof named !== "object") return findings;
  const what = `its answer names ${named.id}`;
  expect(5, record !== undefined, `${what}, which there is not`);
  const isOwn = record === undefined || record.merchant_id === key.merchant_id;
  expect(12, isOwn, `${what}, which is another merchant's`);
  return findings;
}
