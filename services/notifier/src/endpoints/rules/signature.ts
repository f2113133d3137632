import { createHash, createHmac } from "node:crypto";

/** Both secrets of an endpoint in plain text. */
export type SigningSecrets = {
  /** Base64 text, appended to the message in the form that the merchant gets. */
  readonly secret: string;
  /** `whsec_` and the key in base64 (Standard Webhooks). */
  readonly standardSecret: string;
};

const standardPrefix = "whsec_";

/** Encodes two times 32 random bytes in the form that the merchant gets. */
export function secretsFrom(bytes: Uint8Array, standardBytes: Uint8Array): SigningSecrets {
  return {
    secret: Buffer.from(bytes).toString("base64"),
    standardSecret: standardPrefix + Buffer.from(standardBytes).toString("base64"),
  };
}

/** The API's own signature: base64 of SHA-256 over `<id>,<status>:<secret>`. */
export function interfaceSignature(id: string, status: string, secret: string): string {
  return createHash("sha256").update(`${id},${status}:${secret}`).digest("base64");
}

/** Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function standardSignature(
  webhookId: string,
  timestamp: number,
  body: Uint8Array,
  standardSecret: string,
): string {
  const key = Buffer.from(standardSecret.slice(standardPrefix.length), "base64");
  const mac = createHmac("sha256", key).update(`${webhookId}.${timestamp}.`).update(body);
  return `v1,${mac.digest("base64")}`;
}

export type Signable = {
  readonly eventId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly sequence: number;
  readonly body: Uint8Array;
};

/** The current secrets and, during an overlap, the previous ones. */
export type Signers = { readonly current: SigningSecrets; readonly previous?: SigningSecrets };

/**
 * Returns the headers by which a merchant verifies an attempt. The API's signature is under
 * `headerName`; during an overlap there is also its `-Previous` twin. The Standard Webhooks headers
 * and the event's sequence complete them. `webhook-id` is the event's id, the same on every retry
 * and redelivery. The timestamp is the attempt's.
 */
export function signatureHeaders(
  event: Signable,
  signers: Signers,
  headerName: string,
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const own = (by: SigningSecrets): string =>
    interfaceSignature(event.transactionId, event.status, by.secret);
  const standard = (by: SigningSecrets): string =>
    standardSignature(event.eventId, timestamp, event.body, by.standardSecret);
  const headers: Record<string, string> = {
    [headerName]: own(signers.current),
    "webhook-id": event.eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard(signers.current),
    "webhook-sequence": String(event.sequence),
  };
  if (signers.previous !== undefined) {
    headers[`${headerName}-Previous`] = own(signers.previous);
    headers["webhook-signature"] += ` ${standard(signers.previous)}`;
  }
  return headers;
}
