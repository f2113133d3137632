import { sign as signAsync, verify as verifyAsync } from "node:crypto";
import { promisify } from "node:util";
import type { BusMessage } from "../bus/bus.ts";
import type { ServiceKey, TrustedKeys } from "../identity/keys.ts";
import { requestIdHeader } from "../rpc/identity.ts";
import { traceparentHeader } from "../tracing/traceparent.ts";

/** The keys of a process as they are now: their files may be read anew. */
export type EventKeys = {
  /** Signs what the process publishes. */
  readonly serviceKey: () => ServiceKey;
  /** Verify what it consumes. */
  readonly trustedKeys: () => TrustedKeys;
};

/** Why a message is not believed. */
export const rejections = ["unsigned", "unknown_key", "not_permitted", "forged", "future"] as const;
/** Why a message is not believed: `not_permitted` is signed by another than may publish it. */
export type Rejection = (typeof rejections)[number];

/** A message as the broker has it: what of it its signature is over. */
export type SignedParts = Pick<BusMessage, "id" | "key" | "body"> & {
  readonly headers: Readonly<Record<string, unknown>>;
};

/** Two clocks may differ by so much, as for tokens (`identity/verifier.ts`). */
const clockToleranceMs = 120_000;

const keyHeader = "x-disburse-key";
const timeHeader = "x-disburse-time";
const signatureHeader = "x-disburse-signature";
/** These go with an event, and are signed as it is. */
const originHeaderNames = [requestIdHeader, traceparentHeader];

// On the thread pool: a batch of 200 would hold up everything else for some 10 ms.
const sign = promisify(signAsync);
const verify = promisify(verifyAsync) as (
  algorithm: null,
  data: Buffer,
  key: Parameters<typeof verifyAsync>[2],
  signature: Buffer,
) => Promise<boolean>;

/** What the signature of another kind of text, or of another version of this, is never good for. */
const domain = "disburse event v1";

/**
 * The exact bytes that are signed: each part after its length, as PASETO's pre-authentication
 * encoding has it, so that no two messages have the same.
 */
function signedBytes(namespace: string, { id, key, body, headers }: SignedParts): Buffer {
  const texts = [keyHeader, timeHeader, ...originHeaderNames].map((name) => {
    const text = headers[name];
    return typeof text === "string" ? text : "";
  });
  const parts = [domain, namespace, key, id, ...texts].map((text) => Buffer.from(text));
  return encoded([...parts, body]);
}

function encoded(parts: readonly Uint8Array[]): Buffer {
  const lengths = Buffer.alloc(lengthBytes * (parts.length + 1));
  lengths.writeUInt32LE(parts.length);
  const all: Uint8Array[] = [lengths.subarray(0, lengthBytes)];
  for (const [at, part] of parts.entries()) {
    const from = lengthBytes * (at + 1);
    lengths.writeUInt32LE(part.length, from);
    all.push(lengths.subarray(from, from + lengthBytes), part);
  }
  return Buffer.concat(all);
}

/** Of a length, little-endian; those of a message need four of them. */
const lengthBytes = 8;

/** The headers by which consumers know who published a message, and when. */
export async function signatureHeaders(
  { serviceKey }: Pick<EventKeys, "serviceKey">,
  namespace: string,
  message: SignedParts,
): Promise<Readonly<Record<string, string>>> {
  const { keyId, privateKey } = serviceKey();
  const own = { [keyHeader]: keyId, [timeHeader]: String(Date.now()) };
  const parts = { ...message, headers: { ...message.headers, ...own } };
  const signature = await sign(null, signedBytes(namespace, parts), privateKey);
  return { ...own, [signatureHeader]: signature.toString("base64url") };
}

/** The service that published a message, or why it is not believed. */
export async function publisherOf(
  { trustedKeys }: Pick<EventKeys, "trustedKeys">,
  namespace: string,
  message: SignedParts,
  mayPublish: (key: string, service: string) => boolean,
): Promise<{ readonly publisher: string } | { readonly rejected: Rejection }> {
  const { [keyHeader]: keyId, [timeHeader]: time, [signatureHeader]: sent } = message.headers;
  if (typeof keyId !== "string" || typeof sent !== "string") return { rejected: "unsigned" };
  const trusted = trustedKeys().get(keyId);
  if (trusted === undefined) return { rejected: "unknown_key" };
  const { service: publisher, publicKey } = trusted;
  if (!mayPublish(message.key, publisher)) return { rejected: "not_permitted" };
  const signature = Buffer.from(sent, "base64url");
  const isOwn = await verify(null, signedBytes(namespace, message), publicKey, signature);
  if (!isOwn) return { rejected: "forged" };
  const isPast = Number(time) <= Date.now() + clockToleranceMs;
  return isPast ? { publisher } : { rejected: "future" };
}
