import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isObject, parseExactJson } from "./exact-json.ts";
import type { WebhookEvent } from "./gen/types.ts";

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

/** Standard Webhooks: keys have 24 to 64 bytes; a shorter one can be found by trying. */
const keyBytesMin = 24;

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
 * where what it is verified with cannot be.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  options: VerifyWebhookOptions,
): WebhookEvent {
  const { secret, standardSecret } = options;
  if (secret === undefined && standardSecret === undefined) {
    throw new TypeError("secret or standardSecret has to be given");
  }
  // A `null` of a database or a parsed file would sign as the text "null", which anybody can.
  if (secret !== undefined && (typeof secret !== "string" || secret === "")) {
    throw new TypeError("secret has to be text that is not empty");
  }
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("rawBody has to be the body as it arrived: text or bytes, not an object");
  }
  const bytes = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  if (standardSecret !== undefined) verifyStandard(bytes, headers, standardSecret, options);
  const body = readBody(bytes);
  if (secret !== undefined) verifyInterface(body, headers, secret, options);
  return body as unknown as WebhookEvent;
}

type Body = Readonly<Record<string, unknown>> & {
  readonly transaction_type: string;
  readonly transaction_id: string;
  readonly data: Readonly<Record<string, unknown>>;
};

function readBody(bytes: Uint8Array): Body {
  const body = parsed(bytes);
  const isEvent =
    isObject(body) &&
    typeof body.transaction_type === "string" &&
    typeof body.transaction_id === "string" &&
    isObject(body.data);
  if (!isEvent) throw new WebhookVerificationError("BODY_MALFORMED", "the body is no event");
  return body as Body;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Neither the text nor the parser's message belongs into a log.
    return undefined;
  }
}

/**
 * `base64(sha256("<id>,<status>:<secret>"))` (service interface, "Authentication"), of a body that
 * the standard scheme has verified where its secret is given.
 */
function verifyInterface(
  { transaction_type, transaction_id, data }: Body,
  headers: WebhookHeaders,
  secret: string,
  { standardSecret, signatureHeader = "X-SERVICE-Signature" }: VerifyWebhookOptions,
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
  const expected = createHash("sha256").update(`${id},${status}:${secret}`).digest("base64");
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
  const [id, timestamp, ...signatures] = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
  ].map((name) => {
    const values = valuesOf(headers, name);
    if (values.length === 0) throw missing(name);
    return values.join(" ");
  });
  if (!/^\d{1,12}$/.test(timestamp ?? "")) {
    throw new WebhookVerificationError("HEADER_MALFORMED", "webhook-timestamp is no Unix time");
  }
  const { now = new Date(), toleranceSeconds = toleranceDefaultSeconds } = options;
  const offSeconds = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  // Asked this way round, a tolerance or a time that is no number refuses.
  if (!(offSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "TIMESTAMP_OUT_OF_TOLERANCE",
      `webhook-timestamp is more than ${toleranceSeconds} s off`,
    );
  }
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(bytes);
  const expected = `v1,${signed.digest("base64")}`;
  const sent = signatures.flatMap((each) => each.split(" "));
  if (!isAnyEqual(sent, expected)) throw mismatch("webhook-signature");
}

function keyOf(standardSecret: string): Uint8Array {
  const [, encoded = ""] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(String(standardSecret)) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= keyBytesMin) return key;
  throw new TypeError(`standardSecret has to be whsec_ and base64 of ${keyBytesMin} bytes or more`);
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
