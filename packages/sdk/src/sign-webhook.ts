import { LosslessNumber, stringify } from "lossless-json";
import { checkNames } from "./client-options.ts";
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

/** Options of `signWebhook`; give at least one of the two secrets. */
export type SignWebhookOptions = {
  /** Secret for `X-SERVICE-Signature`; any text that isn't empty. */
  readonly secret?: string | undefined;
  /** Secret for `webhook-signature`: `whsec_` and base64 of at least 24 bytes. */
  readonly standardSecret?: string | undefined;
  /** `webhook-sequence`, from 1; 1 by default. */
  readonly sequence?: number | undefined;
  /**
   * `webhook-id`. By default derived from the transaction and sequence, so that signing an event
   * again gives the same id.
   */
  readonly id?: string | undefined;
  /** `webhook-timestamp`; now by default. */
  readonly timestamp?: Date | undefined;
  /**
   * The status to sign if `data` has none, which is possible for a refund. Defaults to `initiated`.
   */
  readonly status?: string | undefined;
  /** Name of the first scheme's header, if a deployment has changed it. */
  readonly signatureHeader?: string | undefined;
};

const optionNames = Object.keys({
  secret: true,
  standardSecret: true,
  sequence: true,
  id: true,
  timestamp: true,
  status: true,
  signatureHeader: true,
} satisfies Record<keyof SignWebhookOptions, true>);

/** A signed webhook, to post to a receiver: `fetch(url, { method: "POST", body, headers })`. */
export type SignedWebhook = {
  /** The signed body, to be sent unchanged. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Signs an event as the platform does, for tests of your own receiver. Use test secrets, never an
 * endpoint's. Amounts of an event object are written as JSON numbers; text is signed unchanged.
 *
 * @throws {TypeError} if the event isn't a webhook's body or an option is invalid.
 */
export function signWebhook(
  event: WebhookEvent | string,
  options: SignWebhookOptions,
): SignedWebhook {
  checkNames(options, optionNames);
  checkSecrets(options);
  const body = typeof event === "string" ? event : bodyOf(event);
  const bytes = new TextEncoder().encode(body);
  const read = webhookBodyIn(bytes);
  if (read === undefined) throw new TypeError("event must be the body of a webhook");
  return { body, headers: { "content-type": "application/json", ...signed(read, bytes, options) } };
}

function signed(
  { transaction_id, data }: WebhookBody,
  bytes: Uint8Array,
  options: SignWebhookOptions,
): Record<string, string> {
  const { secret, standardSecret, sequence = 1, timestamp = new Date() } = options;
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    throw new TypeError("sequence must be a whole number of at least 1");
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

/** The JSON number syntax, without exponents. */
const numberText = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Formats the body as the platform does. A refund's data comes from another system and is
 * unchanged.
 */
function bodyOf(event: WebhookEvent): string {
  if (!isObject(event)) throw new TypeError("event must be the body of a webhook");
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
