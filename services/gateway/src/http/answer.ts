import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Answer } from "../domain/answer.ts";
import { type ErrorCode, wireError } from "../domain/errors.ts";

/** What a caller who should come again soon is told to wait, in seconds. */
const retryAfterSeconds = "1";

const headersOf: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHENTICATED: { "WWW-Authenticate": "Bearer" },
  IDEMPOTENCY_IN_PROGRESS: { "Retry-After": retryAfterSeconds },
  SERVICE_UNAVAILABLE: { "Retry-After": retryAfterSeconds },
};

/** Success: 200 and `{ "data": … }`. */
export function dataAnswer(data: unknown): Answer {
  return { status: 200, headers: {}, body: JSON.stringify({ data }) };
}

/** A refusal: its row of the error table, and the headers that its status asks for. */
export function refusalAnswer(
  refusal: Refused<ErrorCode>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status, body } = wireError(refusal);
  return {
    status,
    headers: { ...headersOf[refusal.refused], ...headers },
    body: JSON.stringify(body),
  };
}
