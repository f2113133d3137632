import { LosslessNumber, stringify } from "lossless-json";
import { isObject } from "./exact-json.ts";
import { type WebhookEvent, webhookDecimals } from "./gen/types.ts";
import {
  checkSecrets,
  interfaceSignature,
  keyOf,
  signatureHeaderDefault,
  standardSignature,
  type WebhookBody,
  webhookBodyIn,
} from "./webhook-signature.ts";

/** What a webhook is signed with; of the two secrets at least one. */
export type SignWebhookOptions = {
  /** Signs `X-SERVICE-Signature`; any text that is not empty. */
  readonly secret?: string | undefined;
  /** Signs `webhook-signature`: `whsec_` and base64 of 24 bytes or more. */
  readonly standardSecret?: string | undefined;
  /** `webhook-sequence`; 1 when left out. */
  readonly sequence?: number | undefined;
  /** `webhook-id`; when left out one of transaction and sequence, so that a repeat has the same. */
  readonly id?: string | undefined;
  /** `webhook-timestamp`; the present when left out. */
  readonly timestamp?: Date | undefined;
  /** The status that is signed where `data` has none, as that of a refund may; `initiated` else. */
  readonly status?: string | undefined;
  /** The first scheme's header where a deployment has another than the default. */
  readonly signatureHeader?: string | undefined;
};

/** A webhook to post to a receiver: `fetch(url, { method: "POST", body, headers })`. */
export type SignedWebhook = {
  /** The text whose bytes are signed. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Signs an event as the platform does, for the tests of a merchant's own receiver: with secrets of
 * the test, never an endpoint's. Amounts of an event are written as JSON numbers; a text is signed
 * as it is. Throws a `TypeError` where it is no event or cannot be signed.
 */
export function signWebhook(
  event: WebhookEvent | string,
  options: SignWebhookOptions,
): SignedWebhook {
  checkSecrets(options);
  const body = typeof event === "string" ? event : bodyOf(event);
  const bytes = new TextEncoder().encode(body);
  const read = webhookBodyIn(bytes);
  if (read === undefined) throw new TypeError("event has to be the body of a webhook");
  return { body, headers: { "content-type": "application/json", ...signed(read, bytes, options) } };
}

function signed(
  { transaction_id, data }: WebhookBody,
  bytes: Uint8Array,
  options: SignWebhookOptions,
): Record<string, string> {
  const { secret, standardSecret, sequence = 1, timestamp = new Date() } = options;
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    throw new TypeError("sequence has to be a whole number from 1");
  }
  const { id = `evt_${transaction_id.replace(/^[a-z]+_/, "")}_${sequence}` } = options;
  const seconds = String(Math.floor(timestamp.getTime() / 1_000));
  const headers: Record<string, string> = {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-sequence": String(sequence),
  };
  if (secret !== undefined) {
    const { signatureHeader = signatureHeaderDefault } = options;
    const status = String(data.status ?? options.status ?? "initiated");
    headers[signatureHeader] = interfaceSignature(transaction_id, status, secret);
  }
  if (standardSecret !== undefined) {
    headers["webhook-signature"] = standardSignature(id, seconds, bytes, keyOf(standardSecret));
  }
  return headers;
}

/** A number as JSON may write it. */
const numberText = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** The body as the platform writes it. A refund's data is its system's, and stays as it is. */
function bodyOf(event: WebhookEvent): string {
  if (!isObject(event)) throw new TypeError("event has to be the body of a webhook");
  const { transaction_type, transaction_id, data } = event;
  const written = transaction_type === "refund" ? data : withNumbers(data);
  return stringify({ transaction_type, transaction_id, data: written }) ?? "";
}

function withNumbers(data: unknown): unknown {
  if (!isObject(data)) return data;
  const fields = Object.entries(data).map(([name, value]) =>
    webhookDecimals.has(name) && typeof value === "string" && numberText.test(value)
      ? [name, new LosslessNumber(value)]
      : [name, value],
  );
  return Object.fromEntries(fields);
}
