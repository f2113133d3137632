import { createHash, createHmac } from "node:crypto";

/** The two secrets of an endpoint in plain text. */
export type SigningSecrets = {
  /**
   * Secret for the API's own signature. It is base64 text and is appended to the message in exactly
   * this form.
   */
  readonly secret: string;
  /** Secret for Standard Webhooks. It consists of `whsec_` and the key in base64. */
  readonly standardSecret: string;
};

const standardPrefix = "whsec_";

/** Encodes two secrets of 32 random bytes in the form that the merchant gets. */
export function secretsFrom(bytes: Uint8Array, standardBytes: Uint8Array): SigningSecrets {
  return {
    secret: Buffer.from(bytes).toString("base64"),
    standardSecret: standardPrefix + Buffer.from(standardBytes).toString("base64"),
  };
}

/** Returns the API's own signature: the SHA-256 of `<id>,<status>:<secret>` in base64. */
export function interfaceSignature(id: string, status: string, secret: string): string {
  return createHash("sha256").update(`${id},${status}:${secret}`).digest("base64");
}

/**
 * Returns the Standard Webhooks signature: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>`
 * in base64.
 */
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

/** The current secrets. During an overlap, also the previous ones. */
export type Signers = { readonly current: SigningSecrets; readonly previous?: SigningSecrets };

/**
 * Returns the headers with which a merchant verifies an attempt. The header `headerName` contains
 * the API's own signature. During an overlap, a second header with the suffix `-Previous` contains
 * the signature of the previous secret. The other headers follow Standard Webhooks and contain the
 * event's sequence number. `webhook-id` is the id of the event, the same for every retry and
 * redelivery. The timestamp is the time of the attempt.
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
