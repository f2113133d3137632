import { createHash, createHmac } from "node:crypto";
import { isObject, parseExactJson } from "./exact-json.ts";

/** The first scheme's header, unless a deployment sets `WEBHOOK_SIGNATURE_HEADER`. */
export const signatureHeaderDefault = "X-SERVICE-Signature";

/** The fields that webhook bodies of every type share. */
export type WebhookBody = Readonly<Record<string, unknown>> & {
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Parses a body; returns `undefined` if the bytes aren't UTF-8, JSON or an event. */
export function webhookBodyIn(bytes: Uint8Array): WebhookBody | undefined {
  const body = parsed(bytes);
  const isEvent =
    isObject(body) &&
    typeof body.transaction_type === "string" &&
    typeof body.transaction_id === "string" &&
    isObject(body.data);
  return isEvent ? (body as WebhookBody) : undefined;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Neither the text nor the parser's message may reach a log.
    return undefined;
  }
}

/** Returns `base64(sha256("<id>,<status>:<secret>"))` (service interface, "Authentication"). */
export function interfaceSignature(id: string, status: string, secret: string): string {
  return createHash("sha256").update(`${id},${status}:${secret}`).digest("base64");
}

/** Returns `v1,base64(hmac-sha256("<id>.<timestamp>.<body>"))` (Standard Webhooks). */
export function standardSignature(
  id: string,
  timestamp: string,
  body: Uint8Array,
  key: Uint8Array,
): string {
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest("base64")}`;
}

/**
 * Checks that at least one of the two secrets is given, and that the given ones are valid. Throws a
 * `TypeError` otherwise.
 */
export function checkSecrets(options: {
  readonly secret?: string | undefined;
  readonly standardSecret?: string | undefined;
}): void {
  const { secret, standardSecret } = options;
  if (secret === undefined && standardSecret === undefined) {
    throw new TypeError("secret or standardSecret is required");
  }
  // A `null` from a database or file would become the text "null". Anyone could sign with that
  // secret.
  if (secret !== undefined && (typeof secret !== "string" || secret === "")) {
    throw new TypeError("secret must be a non-empty string");
  }
}

/** Standard Webhooks requires keys of 24 to 64 bytes; a shorter one can be guessed. */
const keyBytesMin = 24;

/** Decodes the key in `whsec_…`; throws a `TypeError` if it is invalid. */
export function keyOf(standardSecret: string): Uint8Array {
  const [, encoded = ""] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(standardSecret)) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= keyBytesMin) return key;
  throw new TypeError(
    `standardSecret must be whsec_ followed by the base64 of at least ${keyBytesMin} bytes`,
  );
}
