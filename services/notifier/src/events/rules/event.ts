import { type ExactJson, ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { optInSubject, optInTypes } from "../../endpoints/rules/opt-in.ts";
import { merchantEventBody } from "./webhook-body.ts";

/**
 * An event for a merchant. It is stored before its deliveries are created. Its body is built only
 * once.
 */
export type WebhookEvent = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly transactionType: string;
  readonly transactionId: string;
  readonly status: string;
  /** Set for payouts. Only e-mails depend on it, and it is not stored. */
  readonly subStatus?: string;
  /** The position of the event within its transaction, starting at 1. */
  readonly sequence: number;
  readonly body: Uint8Array;
  readonly occurredAt: Date;
  /** The request that caused the event, if known. */
  readonly origin?: { readonly request_id?: string; readonly traceparent?: string } | undefined;
};

/** An event of another system, before it is checked. */
export type PublishedEvent = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly transactionType: string;
  readonly transactionId: string;
  readonly status: string;
  readonly sequence: bigint;
  readonly dataJson: string;
  readonly occurredAt: Date | undefined;
};

/** Types of events that other systems may publish (service interface, events). */
export const publishedTypes: readonly string[] = ["payment_session", "refund"];

/**
 * Types whose `data` need not contain the merchant. Another system defines the content of their
 * events.
 */
const ofOthers: readonly string[] = ["refund"];

/** Types of events in a merchant's feed. These are all types except test events and challenges. */
export const fedTypes: readonly string[] = ["payout_session", ...publishedTypes, ...optInTypes];

/**
 * Maximum size of `data`. With the fields around it, a body stays under the limit of 64 KiB for a
 * request.
 */
export const dataJsonBytesMax = 60 * 1_024;

const eventIdText = /^[\x21-\x7e]{1,128}$/;

/**
 * Returns true for a valid event id. The header `webhook-id` contains the id, so only header-safe
 * text is allowed.
 */
export function isEventId(text: string): boolean {
  return eventIdText.test(text);
}

/** The id prefixes of the platform's own records. */
const ownPrefixes: ReadonlySet<string> = new Set(Object.values(idPrefixes));

/**
 * Returns the id prefix of an event type. Returns `undefined` if the type's events are not about
 * records of the platform.
 */
function prefixOf(transactionType: string): string | undefined {
  if (transactionType === "payout_session") return idPrefixes.payout;
  const noun = optInSubject(transactionType);
  return noun && idPrefixes[noun];
}

/**
 * Describes the problem of a signed text. `X-SERVICE-Signature` signs `<id>,<status>`. If the id or
 * the status could contain a comma, two different pairs could have the same signature.
 */
function signedProblem(text: string, lengthMax: number): string | undefined {
  const problem = nameProblem(text, lengthMax);
  if (problem !== undefined) return problem;
  return text.includes(",") ? "must not contain a comma" : undefined;
}

/**
 * Describes the problem of a transaction's id. The signature doesn't cover the type, so an id of
 * one kind must never be used for another. Otherwise the signature of a refund with a payout's id
 * would be valid for the payout.
 */
export function transactionIdProblem(
  id: string,
  transactionType: string | undefined,
): string | undefined {
  const problem = signedProblem(id, 128);
  if (problem !== undefined) return problem;
  // A wrong type is reported separately.
  if (transactionType === undefined) return undefined;
  const own = prefixOf(transactionType);
  const [prefix = ""] = id.split("_", 1);
  if (own !== undefined) return prefix === own ? undefined : `must begin with ${own}_`;
  if (!id.includes("_") || !ownPrefixes.has(prefix)) return undefined;
  return `must not begin with ${prefix}_, which is the prefix of other ids`;
}

function nameProblem(text: string, lengthMax: number): string | undefined {
  if (text === "") return "is required";
  if (text.length > lengthMax) return `must have at most ${lengthMax} characters`;
  return textProblem(text);
}

function readData(json: string): ExactJson | undefined {
  try {
    return parseExactJson(json);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Maximum nesting depth of `data`. No event is deeper, and some JSON parsers fail at a greater
 * depth.
 */
const depthMax = 32;

function isDeeper(value: ExactJson, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}

/**
 * Describes the problem of `data`. It must be an object. If it contains the id or the status, these
 * must equal the signed ones. The `data` of a payment session must have all required fields.
 */
function dataProblem(event: PublishedEvent): string | undefined {
  if (Buffer.byteLength(event.dataJson) > dataJsonBytesMax) {
    return `must have at most ${dataJsonBytesMax} bytes`;
  }
  const data = readData(event.dataJson);
  if (data === undefined || !isPlainObject(data)) return "must be a JSON object";
  if (isDeeper(data, depthMax)) return `must nest at most ${depthMax} levels deep`;
  const isSession = event.transactionType === "payment_session";
  const problems = isSession ? paymentSessionProblems(data) : [];
  if (problems.length > 0) return problems.join(", ");
  const { id = event.transactionId, status = event.status } = data;
  if (id !== event.transactionId) return "id must be equal to transaction_id";
  if (status !== event.status) return "status must be equal to the event's status";
  if (!ofOthers.includes(event.transactionType) && data.merchant_id !== event.merchantId) {
    return "merchant_id must be equal to the event's merchant_id";
  }
  return undefined;
}

function isPlainObject(data: ExactJson): data is { [key: string]: ExactJson } {
  return (
    typeof data === "object" && data !== null && Object.getPrototypeOf(data) === Object.prototype
  );
}

function sequenceProblem(sequence: bigint): string | undefined {
  const fits = sequence >= 1n && sequence <= BigInt(Number.MAX_SAFE_INTEGER);
  return fits ? undefined : "must be a whole number from 1";
}

/**
 * Returns all violations of a published event. They are in the order of the fields in the contract.
 */
export function publishedEventViolations(
  event: PublishedEvent,
  types: readonly string[] = publishedTypes,
): readonly Violation[] {
  const typed = types.includes(event.transactionType);
  const problems: Record<string, string | undefined> = {
    event_id: isEventId(event.eventId) ? undefined : "must be 1 to 128 printable characters",
    merchant_id: nameProblem(event.merchantId, 128),
    transaction_type: typed ? undefined : `must be one of ${types.join(", ")}`,
    transaction_id: transactionIdProblem(
      event.transactionId,
      typed ? event.transactionType : undefined,
    ),
    status: signedProblem(event.status, 64),
    sequence: sequenceProblem(event.sequence),
    data_json: dataProblem(event),
  };
  return Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [{ field, problem }],
  );
}

export function webhookEventOf(event: PublishedEvent, receivedAt: Date): WebhookEvent {
  return {
    eventId: event.eventId,
    merchantId: event.merchantId,
    transactionType: event.transactionType,
    transactionId: event.transactionId,
    status: event.status,
    sequence: Number(event.sequence),
    body: merchantEventBody(event.transactionType, event.transactionId, event.dataJson),
    occurredAt: event.occurredAt ?? receivedAt,
  };
}

type Kind = "text" | "number" | "time" | "time_or_none";

/**
 * The required fields of a payment session's `data` (interface, "Events"). `""` means that the text
 * may be empty.
 */
const kinds: Readonly<Record<string, Kind>> = {
  id: "text",
  reference_id: "text",
  merchant_id: "text",
  status: "text",
  failure_code: "text",
  amount: "number",
  source_currency: "text",
  source_account: "text",
  payment_option_id: "text",
  payment_option_code: "text",
  success_redirect_url: "text",
  failure_redirect_url: "text",
  risk_score: "text",
  created_at: "time",
  updated_at: "time",
  expires_at: "time_or_none",
};

const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function isTime(text: string): boolean {
  return timeText.test(text) && !Number.isNaN(Date.parse(text));
}

function problemOf(value: ExactJson | undefined, kind: Kind): string | undefined {
  if (value === undefined) return "is required";
  if (kind === "number") return value instanceof ExactNumber ? undefined : "must be a number";
  if (typeof value !== "string") return "must be a string";
  if (kind === "text" || (kind === "time_or_none" && value === "")) return undefined;
  return isTime(value) ? undefined : "must be an ISO 8601 time with its offset";
}

/**
 * Returns all problems in the fields of a payment session. Doesn't reveal the content of the
 * fields.
 */
export function paymentSessionProblems(data: { readonly [field: string]: ExactJson }): string[] {
  return Object.entries(kinds).flatMap(([field, kind]) => {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    const problem = problemOf(value, kind);
    return problem === undefined ? [] : [`${field} ${problem}`];
  });
}
