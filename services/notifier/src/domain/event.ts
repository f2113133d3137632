import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { textProblem } from "@disburse/kernel/text.ts";
import { merchantEventBody } from "./webhook-body.ts";

/** Something that a merchant is told once: stored before it is fanned out, its bytes made once. */
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
  /** The merchant's request that it goes back to, where it is known: for the log. */
  readonly requestId?: string | undefined;
};

/** An event of another system, as it reached us. */
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

/** With its frame a body stays under the 64 KiB that a request may have. */
export const dataJsonBytesMax = 60 * 1_024;

const eventIdText = /^[\x21-\x7e]{1,128}$/;

/** Whether a text can be an event's id: header-safe, for it becomes `webhook-id`. */
export function isEventId(text: string): boolean {
  return eventIdText.test(text);
}

function nameProblem(text: string, lengthMax: number): string | undefined {
  if (text === "") return "is required";
  if (text.length > lengthMax) return `must have at most ${lengthMax} characters`;
  return textProblem(text);
}

function readData(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * `data` must be an object that says of id and status what the signature says, where it says it.
 */
function dataProblem(event: PublishedEvent): string | undefined {
  if (Buffer.byteLength(event.dataJson) > dataJsonBytesMax) {
    return `must have at most ${dataJsonBytesMax} bytes`;
  }
  const data = readData(event.dataJson);
  if (typeof data !== "object" || data === null || !isPlainObject(data)) {
    return "must be a JSON object";
  }
  const { id = event.transactionId, status = event.status } = data;
  if (id !== event.transactionId) return "id must be the event's transaction_id";
  if (status !== event.status) return "status must be the event's status";
  return undefined;
}

function isPlainObject(data: object): data is Record<string, unknown> {
  return Object.getPrototypeOf(data) === Object.prototype;
}

function sequenceProblem(sequence: bigint): string | undefined {
  const fits = sequence >= 1n && sequence <= BigInt(Number.MAX_SAFE_INTEGER);
  return fits ? undefined : "must be a whole number from 1";
}

/** Every field of a published event that is not as the contract says, in its order. */
export function publishedEventViolations(event: PublishedEvent): readonly Violation[] {
  const typed = publishedTypes.includes(event.transactionType);
  const problems: Record<string, string | undefined> = {
    event_id: isEventId(event.eventId) ? undefined : "must be 1 to 128 printable characters",
    merchant_id: nameProblem(event.merchantId, 128),
    transaction_type: typed ? undefined : `must be one of ${publishedTypes.join(", ")}`,
    transaction_id: nameProblem(event.transactionId, 128),
    status: nameProblem(event.status, 64),
    sequence: sequenceProblem(event.sequence),
    data_json: dataProblem(event),
  };
  return Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [{ field, problem }],
  );
}

/** The event of a publication that was found to be as the contract says. */
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
