import type { Readable } from "node:stream";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Answer } from "../domain/answer.ts";
import { type ErrorCode, wireError } from "../domain/errors.ts";
import type { FileFormat } from "../reference/endpoint.ts";
import type { PageAnswer } from "./content.ts";

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

/** A file that is sent while it is made. */
export function fileAnswer({ mediaType, name }: FileFormat, bytes: Readable): PageAnswer {
  const headers = {
    "Content-Type": `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return { status: 200, headers, body: bytes };
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
