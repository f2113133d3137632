import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { readViolations, type WireViolation, wireViolation } from "@disburse/kernel/violations.ts";
import { MongoTopologyClosedError } from "mongodb";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import { type FileFormat, isBinary } from "../openapi/route.ts";
import { otherKinds, withKinds, withMisspelt } from "./rules/hints.ts";

/** A response that may be a page, compressed bytes or a stream. */
export type PageAnswer = Omit<Answer, "body"> & { readonly body: string | Buffer | Readable };

/** Seconds before the client should retry. */
const retryAfterSeconds = "1";

/**
 * Seconds before the client should retry while a beneficiary is being screened. If compliance does
 * not respond, the beneficiary service repeats the screening within twice `SCREENING_SWEEP_MS`,
 * which is 2 s by default.
 */
const screeningSeconds = "5";

const headersOf: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHENTICATED: { "WWW-Authenticate": "Bearer" },
  BENEFICIARY_NOT_READY: { "Retry-After": screeningSeconds },
  IDEMPOTENCY_IN_PROGRESS: { "Retry-After": retryAfterSeconds },
  RATE_LIMITED: { "Retry-After": retryAfterSeconds },
  SERVICE_UNAVAILABLE: { "Retry-After": retryAfterSeconds },
};

/** Returns status 200 with `{ "data": … }`. */
export function dataAnswer(data: unknown, warnings: readonly string[] = []): Answer {
  const headers = warnings.length === 0 ? {} : { "Disburse-Warnings": warnings.join("; ") };
  return { status: 200, headers, body: JSON.stringify({ data }) };
}

/** Responds with a file, which is streamed while it is generated. */
export function fileAnswer({ mediaType, name }: FileFormat, bytes: Readable): PageAnswer {
  const headers = {
    "Content-Type": isBinary(mediaType) ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return { status: 200, headers, body: bytes };
}

/**
 * Builds the response to a refusal: the status and headers for its code, and a body with `code` and
 * `message`. The body also has the failed fields, the reason and the blocking payout, if any.
 */
export function refusalAnswer(
  { refused: code, detail, reason, payoutId, violations: own = [] }: Refused<ErrorCode>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status, message } = errorTable[code];
  const isInMessage = code === "INVALID_REQUEST" && own.length === 0;
  const violations = isInMessage ? readViolations(detail ?? "") : own.map(wireViolation);
  const body = JSON.stringify({
    code,
    message: detail ?? message,
    ...(violations.length > 0 && { violations }),
    ...(reason !== undefined && { reason }),
    ...(payoutId !== undefined && { payout_id: payoutId }),
  });
  return { status, headers: { ...headersOf[code], ...headers }, body };
}

/** The parts of a request that a refusal may explain. */
type Sent = {
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly unknown: readonly string[];
};

/**
 * Adds to a refusal what the request itself shows: an id of another kind, or a missing field that
 * was sent in another case.
 */
export function explained(answer: PageAnswer, { params, body, unknown }: Sent): PageAnswer {
  if (typeof answer.body !== "string" || ![400, 404].includes(answer.status)) return answer;
  const error = JSON.parse(answer.body) as { code: string; violations?: WireViolation[] };
  const own = error.violations ?? [];
  const violations =
    error.code === "RECORD_NOT_FOUND"
      ? withKinds(own, otherKinds(params, body).map(wireViolation))
      : withMisspelt(own, unknown);
  if (violations.length === 0) return answer;
  return { ...answer, body: JSON.stringify({ ...error, violations }) };
}

/** Returns true for a public error code. Merchants see only refusals with such a code. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/**
 * Maps a thrown error to a response. A service's refusal is returned unchanged. An unavailable
 * service or database results in 503, any other error in 500. A 500 indicates a bug, and only the
 * log contains its cause.
 */
export function failureAnswer(error: unknown, log: Log): Answer {
  const refusal = readRefusal(error);
  // The service has seen this operation id with a different request. The id is derived from the
  // idempotency key, so the merchant has reused the key.
  if (refusal?.message === otherContent.detail) {
    return refusalAnswer(refused("IDEMPOTENCY_KEY_REUSED"));
  }
  if (refusal !== undefined && isErrorCode(refusal.code)) {
    const { code, message: detail, ...more } = refusal;
    return refusalAnswer({ refused: code, detail, ...more });
  }
  const isClosed = error instanceof MongoTopologyClosedError;
  // During an update, a process of the previous release doesn't have the RPC yet.
  const isMissing = error instanceof ConnectError && error.code === Code.Unimplemented;
  if (isMissing || isUnavailable(error) || isDatabaseUnavailable(error) || isClosed) {
    log.warn({ err: error }, "request failed: a service or database is unavailable");
    return refusalAnswer(refused("SERVICE_UNAVAILABLE"));
  }
  log.error({ err: error }, "request failed with an internal error");
  return refusalAnswer(refused("INTERNAL_ERROR"));
}
