import { createHash, createHmac } from "node:crypto";
import { isObject, parseExactJson } from "./exact-json.ts";

/** The first scheme's header, unless a deployment names another (`WEBHOOK_SIGNATURE_HEADER`). */
export const signatureHeaderDefault = "X-SERVICE-Signature";

/** A body as webhooks have it, before its kind is looked at. */
export type WebhookBody = Readonly<Record<string, unknown>> & {
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** The body in these bytes; `undefined` where they are no UTF-8, no JSON, or no event. */
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
    // Neither the text nor the parser's message belongs into a log.
    return undefined;
  }
}

/** `base64(sha256("<id>,<status>:<secret>"))` (service interface, "Authentication"). */
export function interfaceSignature(id: string, status: string, secret: string): string {
  return createHash("sha256").update(`${id},${status}:${secret}`).digest("base64");
}

/** `v1,base64(hmac-sha256("<id>.<timestamp>.<body>"))` (Standard Webhooks). */
export function standardSignature(
  id: string,
  timestamp: string,
  body: Uint8Array,
  key: Uint8Array,
): string {
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest("base64")}`;
}

/** Of the two secrets at least one has to be given; throws a `TypeError` otherwise. */
export function checkSecrets(options: {
  readonly secret?: string | undefined;
  readonly standardSecret?: string | undefined;
}): void {
  const { secret, standardSecret } = options;
  if (secret === undefined && standardSecret === undefined) {
    throw new TypeError("secret or standardSecret has to be given");
  }
  // A `null` of a database or a parsed file would sign as the text "null", which anybody can.
  if (secret !== undefined && (typeof secret !== "string" || secret === "")) {
    throw new TypeError("secret has to be text that is not empty");
  }
}

/** Standard Webhooks: keys have 24 to 64 bytes; a shorter one can be found by trying. */
const keyBytesMin = 24;

/** The key in `whsec_…`; throws a `TypeError` where there is none. */
export function keyOf(standardSecret: string): Uint8Array {
  const [, encoded = ""] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(standardSecret)) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= keyBytesMin) return key;
  throw new TypeError(`standardSecret has to be whsec_ and base64 of ${keyBytesMin} bytes or more`);
}
