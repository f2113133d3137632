import { timingSafeEqual } from "node:crypto";
import { checkNames } from "./client-options.ts";
import type { WebhookEvent } from "./gen/types.ts";
import {
  checkSecrets,
  interfaceSignature,
  keyOf,
  signatureHeaderDefault,
  standardSignature,
  type WebhookBody,
  webhookBodyIn,
} from "./webhook-signature.ts";

/** Error codes of `verifyWebhook`. */
export type WebhookRefusal =
  | "HEADER_MISSING"
  | "HEADER_MALFORMED"
  | "TIMESTAMP_OUT_OF_TOLERANCE"
  | "SIGNATURE_MISMATCH"
  | "BODY_MALFORMED"
  | "STANDARD_SECRET_NEEDED";

/** Thrown for a webhook that isn't genuine or readable. Respond with 400 and ignore the webhook. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** A server's headers: `Headers`, or an object with names in any letter case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Options of `verifyWebhook`; give at least one of the two secrets. */
export type VerifyWebhookOptions = {
  /** The endpoint's `secret`; verifies `X-SERVICE-Signature`. */
  readonly secret?: string | undefined;
  /** The endpoint's `standard_secret`, `whsec_…`; verifies `webhook-signature`. */
  readonly standardSecret?: string | undefined;
  /** Tolerated difference of `webhook-timestamp` from now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The current time. Defaults to the system clock. */
  readonly now?: Date | undefined;
  /** Name of the first scheme's header, if a deployment has changed it. */
  readonly signatureHeader?: string | undefined;
};

const optionNames = Object.keys({
  secret: true,
  standardSecret: true,
  toleranceSeconds: true,
  now: true,
  signatureHeader: true,
} satisfies Record<keyof VerifyWebhookOptions, true>);

/**
 * A verified webhook. It has the webhook's body and the values of its headers. Their names and
 * formats are those of feed records (`webhookEvents.list`).
 */
export type VerifiedEvent = WebhookEvent & {
  /** `webhook-id`: the same on every retry and redelivery, and in the feed. */
  readonly id: string;
  /** `webhook-sequence`, from 1: the order of a transaction's events. Not signed. */
  readonly sequence: number;
  /** `webhook-timestamp`, the time of this attempt in ISO 8601: `2026-11-20T11:26:00.000Z`. */
  readonly timestamp: string;
};

/** Allows for clock differences and network delay (Standard Webhooks, "Verifying timestamps"). */
const toleranceDefaultSeconds = 300;

/**
 * Verifies a webhook with every scheme whose secret is given, and returns its event. Give both
 * secrets: the first scheme covers neither amounts nor time. During a rotation of secrets the
 * previous ones are accepted too. A refund without a status is verified only with the standard
 * scheme, because the first scheme signs the status.
 *
 * `rawBody` is the body as it arrived, before any parser; parsing and writing it again changes its
 * bytes. Only the standard scheme covers `webhook-id` and `webhook-timestamp`. For a payout,
 * `webhook-sequence` must match `webhook-id`.
 *
 * @throws {WebhookVerificationError} if the webhook is refused; its `code` gives the reason.
 * @throws {TypeError} if `rawBody` or an option is invalid.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  options: VerifyWebhookOptions,
): VerifiedEvent {
  checkNames(options, optionNames);
  checkSecrets(options);
  const { secret, standardSecret } = options;
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("rawBody must be the body as it arrived: text or bytes, not an object");
  }
  const bytes = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  if (standardSecret !== undefined) verifyStandard(bytes, headers, standardSecret, options);
  const body = webhookBodyIn(bytes);
  if (body === undefined) {
    throw new WebhookVerificationError("BODY_MALFORMED", "the body is not an event");
  }
  if (secret !== undefined) verifyInterface(body, headers, secret, options);
  return { ...(body as unknown as WebhookEvent), ...positionOf(body, headers) };
}

/**
 * Reads the event's id, sequence and time from the headers; throws if one is missing or malformed.
 */
function positionOf(
  { transaction_type, transaction_id }: WebhookBody,
  headers: WebhookHeaders,
): Pick<VerifiedEvent, "id" | "sequence" | "timestamp"> {
  const id = headerOf(headers, "webhook-id");
  const seconds = Number(timestampOf(headers));
  const count = headerOf(headers, "webhook-sequence");
  const sequence = Number(count);
  if (!/^[1-9]\d*$/.test(count) || !Number.isSafeInteger(sequence)) {
    throw new WebhookVerificationError(
      "HEADER_MALFORMED",
      "webhook-sequence is not a whole number from 1",
    );
  }
  // A payout's `webhook-id` is signed and ends in the event's sequence.
  const own = `evt_${transaction_id.replace(/^po_/, "")}_`;
  if (transaction_type === "payout_session" && id.startsWith(own) && id !== `${own}${count}`) {
    throw new WebhookVerificationError(
      "HEADER_MALFORMED",
      "webhook-sequence does not match webhook-id",
    );
  }
  return { id, sequence, timestamp: new Date(seconds * 1_000).toISOString() };
}

/**
 * Verifies `base64(sha256("<id>,<status>:<secret>"))` (service interface, "Authentication"), after
 * the standard scheme if its secret is given.
 */
function verifyInterface(
  { transaction_type, transaction_id, data }: WebhookBody,
  headers: WebhookHeaders,
  secret: string,
  { standardSecret, signatureHeader = signatureHeaderDefault }: VerifyWebhookOptions,
): void {
  const sent = [
    ...valuesOf(headers, signatureHeader),
    ...valuesOf(headers, `${signatureHeader}-Previous`),
  ];
  if (sent.length === 0) throw missing(signatureHeader);
  const { id = transaction_id, status } = data;
  // The first scheme signs the status. The system behind a refund may omit the status.
  if (transaction_type === "refund" && id === transaction_id && status === undefined) {
    if (standardSecret !== undefined) return;
    throw new WebhookVerificationError(
      "STANDARD_SECRET_NEEDED",
      "a refund without a status can be verified only with standardSecret",
    );
  }
  // The signature covers data.id; a different transaction_id would point to another record.
  if (id !== transaction_id || typeof status !== "string") {
    throw new WebhookVerificationError(
      "BODY_MALFORMED",
      "the body's data has no matching id and status",
    );
  }
  const expected = interfaceSignature(id, status, secret);
  if (!isAnyEqual(sent, expected)) throw mismatch(signatureHeader);
}

/** Verifies `v1,base64(hmac-sha256("<id>.<timestamp>.<body>"))` (Standard Webhooks). */
function verifyStandard(
  bytes: Uint8Array,
  headers: WebhookHeaders,
  standardSecret: string,
  options: VerifyWebhookOptions,
): void {
  const key = keyOf(standardSecret);
  const id = headerOf(headers, "webhook-id");
  const timestamp = timestampOf(headers);
  const sent = headerOf(headers, "webhook-signature").split(" ");
  const { now = new Date(), toleranceSeconds = toleranceDefaultSeconds } = options;
  const offSeconds = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  // Written as a negation, so that NaN is refused.
  if (!(offSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "TIMESTAMP_OUT_OF_TOLERANCE",
      `webhook-timestamp is more than ${toleranceSeconds} s off`,
    );
  }
  const expected = standardSignature(id, timestamp, bytes, key);
  if (!isAnyEqual(sent, expected)) throw mismatch("webhook-signature");
}

/** Returns `webhook-timestamp`, in Unix seconds. */
function timestampOf(headers: WebhookHeaders): string {
  const timestamp = headerOf(headers, "webhook-timestamp");
  if (/^\d{1,12}$/.test(timestamp)) return timestamp;
  throw new WebhookVerificationError("HEADER_MALFORMED", "webhook-timestamp is not a Unix time");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const values = valuesOf(headers, name);
  if (values.length === 0) throw missing(name);
  return values.join(" ");
}

function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (typeof headers.get === "function") {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers).flatMap(([each, value]) =>
    each.toLowerCase() === name.toLowerCase() ? [value ?? []].flat().map(String) : [],
  );
}

/** Compares in constant time and always checks all values. */
function isAnyEqual(sent: readonly string[], expected: string): boolean {
  const wanted = Buffer.from(expected);
  let isFound = false;
  for (const each of sent) {
    const value = Buffer.from(each);
    isFound = (value.length === wanted.length && timingSafeEqual(value, wanted)) || isFound;
  }
  return isFound;
}

function missing(name: string): WebhookVerificationError {
  return new WebhookVerificationError("HEADER_MISSING", `the header ${name} is missing`);
}

function mismatch(name: string): WebhookVerificationError {
  return new WebhookVerificationError("SIGNATURE_MISMATCH", `${name} does not match the secret`);
}
