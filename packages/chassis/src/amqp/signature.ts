import { sign as signAsync, verify as verifyAsync } from "node:crypto";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import type { BusMessage } from "../bus/bus.ts";
import type { ServiceKey, TrustedKeys } from "../identity/keys.ts";
import { requestIdHeader } from "../rpc/identity.ts";
import { traceparentHeader } from "../traceparent.ts";
import { leafOf, rootFrom, treeOf } from "./hash-tree.ts";

/** The current keys of a process. Changed key files are read again. */
export type EventKeys = {
  readonly serviceKey: () => ServiceKey;
  readonly trustedKeys: () => TrustedKeys;
};

export const rejections = ["unsigned", "unknown_key", "not_permitted", "forged", "future"] as const;
/**
 * The reason why a message is rejected. `not_permitted` means that the signing service may not
 * publish this message.
 */
export type Rejection = (typeof rejections)[number];

export type SignedParts = Pick<BusMessage, "id" | "key" | "body"> & {
  readonly headers: Readonly<Record<string, unknown>>;
};

/** The allowed difference between two clocks, as for tokens (`identity/verifier.ts`). */
const clockToleranceMs = 120_000;

const keyHeader = "x-disburse-key";
const timeHeader = "x-disburse-time";
const pathHeader = "x-disburse-path";
const signatureHeader = "x-disburse-signature";
/** Headers that the signature covers. */
const originHeaderNames = [requestIdHeader, traceparentHeader];

// Signs on the thread pool. On the main thread, signing 200 batches of one message each would block
// the process for 40 ms.
const sign = promisify(signAsync);
const verify = promisify(verifyAsync) as (
  algorithm: null,
  data: Buffer,
  key: Parameters<typeof verifyAsync>[2],
  signature: Buffer,
) => Promise<boolean>;

/**
 * Signed with each batch, so that a signature for another purpose or version is never valid here.
 */
const domain = "disburse events v2";

/** Hashes a message: its id, routing key, body, origin and namespace. */
function leafOfMessage(namespace: string, { id, key, body, headers }: SignedParts): Buffer {
  const origin = originHeaderNames.map((name) => {
    const text = headers[name];
    return typeof text === "string" ? text : "";
  });
  const parts = [domain, namespace, key, id, ...origin].map((text) => Buffer.from(text));
  return leafOf(encoded([...parts, body]));
}

/** Returns the exact bytes that are signed for a batch. */
function signedBytes(namespace: string, keyId: string, time: string, root: Buffer): Buffer {
  return encoded([...[domain, namespace, keyId, time].map((text) => Buffer.from(text)), root]);
}

/**
 * Writes each part after its length, as PASETO's pre-authentication encoding does. Two different
 * lists of parts therefore never have the same bytes.
 */
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

/** The size in bytes of a little-endian length. The upper four bytes are always zero. */
const lengthBytes = 8;

/**
 * Returns the signature headers of each message in a batch: the publisher, the time, one signature
 * for the whole batch, and the message's path to the signed root.
 */
export async function signatureHeaders(
  { serviceKey }: Pick<EventKeys, "serviceKey">,
  namespace: string,
  messages: readonly SignedParts[],
): Promise<readonly Readonly<Record<string, string>>[]> {
  const { keyId, privateKey } = serviceKey();
  const time = String(Date.now());
  const { root, paths } = treeOf(messages.map((message) => leafOfMessage(namespace, message)));
  const signature = await sign(null, signedBytes(namespace, keyId, time, root), privateKey);
  const own = {
    [keyHeader]: keyId,
    [timeHeader]: time,
    [signatureHeader]: signature.toString("base64url"),
  };
  return paths.map((path) => ({ ...own, [pathHeader]: path.toString("base64url") }));
}

type Verified = { readonly publisher: string } | { readonly rejected: Rejection };

/**
 * The maximum number of remembered signatures. It exceeds the number of batches that arrive at the
 * same time.
 */
const rememberedMax = 1_000;

/**
 * Verifies messages with the current keys. Each batch signature is verified once. The result is
 * remembered with its root and key.
 */
export function createEventVerifier(
  { trustedKeys }: Pick<EventKeys, "trustedKeys">,
  namespace: string,
) {
  type Key = Parameters<typeof verify>[2];
  const known = new LRUCache<string, { readonly by: Key; readonly isOwn: Promise<boolean> }>({
    max: rememberedMax,
  });
  const isSignedBy = (by: Key, bytes: Buffer, sent: string): Promise<boolean> => {
    const name = `${sent} ${bytes.toString("base64url")}`;
    const before = known.get(name);
    if (before?.by === by) return before.isOwn;
    const isOwn = verify(null, bytes, by, Buffer.from(sent, "base64url"));
    known.set(name, { by, isOwn });
    return isOwn;
  };
  return async (
    message: SignedParts,
    mayPublish: (key: string, service: string) => boolean,
  ): Promise<Verified> => {
    const { [keyHeader]: keyId, [timeHeader]: time, [signatureHeader]: sent } = message.headers;
    if (typeof keyId !== "string" || typeof sent !== "string") return { rejected: "unsigned" };
    const trusted = trustedKeys().get(keyId);
    if (trusted === undefined) return { rejected: "unknown_key" };
    const { service: publisher, publicKey } = trusted;
    if (!mayPublish(message.key, publisher)) return { rejected: "not_permitted" };
    const path = Buffer.from(String(message.headers[pathHeader] ?? ""), "base64url");
    const root = rootFrom(leafOfMessage(namespace, message), path);
    if (root === undefined || typeof time !== "string") return { rejected: "forged" };
    const isOwn = await isSignedBy(publicKey, signedBytes(namespace, keyId, time, root), sent);
    if (!isOwn) return { rejected: "forged" };
    const isPast = Number(time) <= Date.now() + clockToleranceMs;
    return isPast ? { publisher } : { rejected: "future" };
  };
}
