import { type ExactJson, ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { optInSubject, optInTypes } from "../../endpoints/rules/opt-in.ts";
import { merchantEventBody } from "./webhook-body.ts";

/** An event for a merchant: stored before it is fanned out; its bytes are made once. */
export type WebhookEvent = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly transactionType: string;
  readonly transactionId: string;
  /** The status that is signed. */
  readonly status: string;
  /** Orders the events of one transaction, from 1. */
  readonly sequence: number;
  readonly body: Uint8Array;
  readonly occurredAt: Date;
  /** The request that it goes back to, where it is known. */
  readonly origin?: { readonly request_id?: string; readonly traceparent?: string } | undefined;
};

/** An event of another system, as received. */
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

/** The kinds that other systems may publish (service interface, events). */
export const publishedTypes: readonly string[] = ["payment_session", "refund"];

/** Where `data` need not name the merchant: its system decides what a refund says. */
const ofOthers: readonly string[] = ["refund"];

/** The kinds that a merchant's feed has: all but trials of an endpoint. */
export const fedTypes: readonly string[] = ["payout_session", ...publishedTypes, ...optInTypes];

/** With its frame a body stays under the 64 KiB that a request may have. */
export const dataJsonBytesMax = 60 * 1_024;

const eventIdText = /^[\x21-\x7e]{1,128}$/;

/** Whether a text can be an event's id: header-safe, for it becomes `webhook-id`. */
export function isEventId(text: string): boolean {
  return eventIdText.test(text);
}

/** Every kind of record of the platform, by the prefix of its ids. */
const ownPrefixes: ReadonlySet<string> = new Set(Object.values(idPrefixes));

/** The prefix of the ids of a type, where its events are about records of the platform. */
function prefixOf(transactionType: string): string | undefined {
  if (transactionType === "payout_session") return idPrefixes.payout;
  const noun = optInSubject(transactionType);
  return noun && idPrefixes[noun];
}

/**
 * What is wrong with a text that `X-SERVICE-Signature` covers: it signs `<id>,<status>`, so a comma
 * in either has the signature of another pair.
 */
function signedProblem(text: string, lengthMax: number): string | undefined {
  const problem = nameProblem(text, lengthMax);
  if (problem !== undefined) return problem;
  return text.includes(",") ? "must not contain a comma" : undefined;
}

/**
 * What is wrong with a transaction's id. The signature does not cover the type, so an id of one
 * kind must never be sent as another: a refund named as a payout would sign for the payout.
 */
export function transactionIdProblem(
  id: string,
  transactionType: string | undefined,
): string | undefined {
  const problem = signedProblem(id, 128);
  if (problem !== undefined) return problem;
  // What is wrong with the type is said of the type.
  if (transactionType === undefined) return undefined;
  const own = prefixOf(transactionType);
  const [prefix = ""] = id.split("_", 1);
  if (own !== undefined) return prefix === own ? undefined : `must begin with ${own}_`;
  if (!id.includes("_") || !ownPrefixes.has(prefix)) return undefined;
  return `must not begin with ${prefix}_, which ids of another kind do`;
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

/** Deeper than any event; some JSON readers fail beyond this. */
const depthMax = 32;

function isDeeper(value: ExactJson, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}

/**
 * `data` is an object whose id and status, if any, are the signed ones; a session's has all fields.
 */
function dataProblem(event: PublishedEvent): string | undefined {
  if (Buffer.byteLength(event.dataJson) > dataJsonBytesMax) {
    return `must have at most ${dataJsonBytesMax} bytes`;
  }
  const data = readData(event.dataJson);
  if (data === undefined || !isPlainObject(data)) return "must be a JSON object";
  if (isDeeper(data, depthMax)) return `must nest at most ${depthMax} deep`;
  const isSession = event.transactionType === "payment_session";
  const problems = isSession ? paymentSessionProblems(data) : [];
  if (problems.length > 0) return problems.join(", ");
  const { id = event.transactionId, status = event.status } = data;
  if (id !== event.transactionId) return "id must be the event's transaction_id";
  if (status !== event.status) return "status must be the event's status";
  if (!ofOthers.includes(event.transactionType) && data.merchant_id !== event.merchantId) {
    return "merchant_id must be the event's merchant_id";
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

/** Every field of a published event that is not as the contract says, in its order. */
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

/** The event of a valid publication. */
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
 * What `data` of a payment session must have (interface, "Events"); a text without a value is `""`.
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

/** Every field of a payment session that is not as the interface says; never their content. */
export function paymentSessionProblems(data: { readonly [field: string]: ExactJson }): string[] {
  return Object.entries(kinds).flatMap(([field, kind]) => {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    const problem = problemOf(value, kind);
    return problem === undefined ? [] : [`${field} ${problem}`];
  });
}
