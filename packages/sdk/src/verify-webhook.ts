import { timingSafeEqual } from "node:crypto";
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

/** Why a webhook was refused. */
export type WebhookRefusal =
  | "HEADER_MISSING"
  | "HEADER_MALFORMED"
  | "TIMESTAMP_OUT_OF_TOLERANCE"
  | "SIGNATURE_MISMATCH"
  | "BODY_MALFORMED"
  | "STANDARD_SECRET_NEEDED";

/** A webhook is not genuine, or cannot be read: answer 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** Headers as any server has them: `Headers`, or an object with names in any letter case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What a webhook is verified with; of the two secrets at least one. */
export type VerifyWebhookOptions = {
  /** `secret` of the endpoint: `X-SERVICE-Signature` has to be by it. */
  readonly secret?: string | undefined;
  /** `standard_secret` of the endpoint, `whsec_…`: `webhook-signature` has to be by it. */
  readonly standardSecret?: string | undefined;
  /** How far `webhook-timestamp` may be off, in seconds; 300 when left out. */
  readonly toleranceSeconds?: number | undefined;
  /** The present; the clock's when left out. */
  readonly now?: Date | undefined;
  /** The name of the first scheme's header where a deployment has another than the default. */
  readonly signatureHeader?: string | undefined;
};

/**
 * A webhook that was verified: its body, and what its headers say, under the names and in the
 * forms of the feed's records (`webhookEvents.list`).
 */
export type VerifiedEvent = WebhookEvent & {
  /** `webhook-id`: the same on every retry and redelivery, and in the feed. */
  readonly id: string;
  /** `webhook-sequence`: orders the events of one transaction, from 1. No signature covers it. */
  readonly sequence: number;
  /** `webhook-timestamp`, when this attempt was sent, as a moment: `2026-11-20T11:26:00.000Z`. */
  readonly timestamp: string;
};

/** Clocks of both sides and the way between them (Standard Webhooks, "Verifying timestamps"). */
const toleranceDefaultSeconds = 300;

/**
 * The event of a webhook that is genuine by every scheme whose secret is given. Give both: the
 * first scheme covers neither amounts nor time. While secrets are rotated, those from before are
 * accepted too. A refund without a status is verified by the standard scheme alone: the first one
 * signs the status.
 *
 * `rawBody` is the body as it arrived, before any parser: what was parsed and written again is
 * other bytes. Throws a `WebhookVerificationError` where the webhook is refused, and a `TypeError`
 * where what it is verified with cannot be. `webhook-id` and `webhook-timestamp` are covered by the
 * standard scheme alone; of a payout, `webhook-sequence` has to be that of its `webhook-id`.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  options: VerifyWebhookOptions,
): VerifiedEvent {
  checkSecrets(options);
  const { secret, standardSecret } = options;
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("rawBody has to be the body as it arrived: text or bytes, not an object");
  }
  const bytes = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  if (standardSecret !== undefined) verifyStandard(bytes, headers, standardSecret, options);
  const body = webhookBodyIn(bytes);
  if (body === undefined) {
    throw new WebhookVerificationError("BODY_MALFORMED", "the body is no event");
  }
  if (secret !== undefined) verifyInterface(body, headers, secret, options);
  return { ...(body as unknown as WebhookEvent), ...positionOf(body, headers) };
}

/** What the headers say of the event; throws where they are missing or malformed. */
function positionOf(
  { transaction_type, transaction_id }: WebhookBody,
  headers: WebhookHeaders,
): Pick<VerifiedEvent, "id" | "sequence" | "timestamp"> {
  const id = headerOf(headers, "webhook-id");
  const seconds = Number(timestampOf(headers));
  const count = headerOf(headers, "webhook-sequence");
  const sequence = Number(count);
  if (!/^[1-9]\d*$/.test(count) || !Number.isSafeInteger(sequence)) {
    throw new WebhookVerificationError("HEADER_MALFORMED", "webhook-sequence is no count from 1");
  }
  // A payout's id has its sequence at the end, and is signed.
  const own = `evt_${transaction_id.replace(/^po_/, "")}_`;
  if (transaction_type === "payout_session" && id.startsWith(own) && id !== `${own}${count}`) {
    throw new WebhookVerificationError(
      "HEADER_MALFORMED",
      "webhook-sequence is not that of webhook-id",
    );
  }
  return { id, sequence, timestamp: new Date(seconds * 1_000).toISOString() };
}

/**
 * `base64(sha256("<id>,<status>:<secret>"))` (service interface, "Authentication"), of a body that
 * the standard scheme has verified where its secret is given.
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
  // The signed status is the event's; a refund's system may leave it out.
  if (transaction_type === "refund" && id === transaction_id && status === undefined) {
    if (standardSecret !== undefined) return;
    throw new WebhookVerificationError(
      "STANDARD_SECRET_NEEDED",
      "a refund that tells no status can be checked only where standardSecret is given",
    );
  }
  // The signature covers data.id; another id outside would point to another record.
  if (id !== transaction_id || typeof status !== "string") {
    throw new WebhookVerificationError(
      "BODY_MALFORMED",
      "the body has no id and status of its own",
    );
  }
  const expected = interfaceSignature(id, status, secret);
  if (!isAnyEqual(sent, expected)) throw mismatch(signatureHeader);
}

/** `v1,base64(hmac-sha256("<id>.<timestamp>.<body>"))` (Standard Webhooks). */
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
  // Asked this way round, a tolerance or a time that is no number refuses.
  if (!(offSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "TIMESTAMP_OUT_OF_TOLERANCE",
      `webhook-timestamp is more than ${toleranceSeconds} s off`,
    );
  }
  const expected = standardSignature(id, timestamp, bytes, key);
  if (!isAnyEqual(sent, expected)) throw mismatch("webhook-signature");
}

/** `webhook-timestamp`, in Unix seconds. */
function timestampOf(headers: WebhookHeaders): string {
  const timestamp = headerOf(headers, "webhook-timestamp");
  if (/^\d{1,12}$/.test(timestamp)) return timestamp;
  throw new WebhookVerificationError("HEADER_MALFORMED", "webhook-timestamp is no Unix time");
}

/** A header that has to be there. */
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

/** Takes the same time wherever two values differ, and looks at all of them. */
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
  return new WebhookVerificationError("SIGNATURE_MISMATCH", `${name} is not by the secret`);
}
