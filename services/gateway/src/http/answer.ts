import type { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import { otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { readViolations } from "@disburse/kernel/violations.ts";
import { MongoTopologyClosedError } from "mongodb";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { FileFormat } from "../openapi/operation.ts";

/** An answer that is not JSON text alone: a page, compressed bytes, a file under way. */
export type PageAnswer = Omit<Answer, "body"> & { readonly body: string | Buffer | Readable };

/** How long a caller who should come again soon has to wait. */
const retryAfterSeconds = "1";

/**
 * How long a screening under way needs: one that compliance did not answer is repeated by a sweep
 * within twice its 2 s (`SCREENING_SWEEP_MS`), and most are decided by then.
 */
const screeningSeconds = "5";

const headersOf: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHENTICATED: { "WWW-Authenticate": "Bearer" },
  BENEFICIARY_NOT_READY: { "Retry-After": screeningSeconds },
  IDEMPOTENCY_IN_PROGRESS: { "Retry-After": retryAfterSeconds },
  RATE_LIMITED: { "Retry-After": retryAfterSeconds },
  SERVICE_UNAVAILABLE: { "Retry-After": retryAfterSeconds },
};

/** Success: 200 and `{ "data": … }`. */
export function dataAnswer(data: unknown): Answer {
  return { status: 200, headers: {}, body: JSON.stringify({ data }) };
}

/** A file that is sent while it is made. */
export function fileAnswer({ mediaType, name }: FileFormat, bytes: Readable): PageAnswer {
  const headers = {
    "Content-Type": mediaType === "application/pdf" ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${name}"`,
  };
  return { status: 200, headers, body: bytes };
}

/**
 * A refusal: the status of its code, `{ code, message }`, the fields that failed, the reason and
 * the payout in the way where there are some, and the headers of its code.
 */
export function refusalAnswer(
  { refused: code, detail, reason, payoutId }: Refused<ErrorCode>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status, message } = errorTable[code];
  const violations = code === "INVALID_REQUEST" ? readViolations(detail ?? "") : [];
  const body = JSON.stringify({
    code,
    message: detail ?? message,
    ...(violations.length > 0 && { violations }),
    ...(reason !== undefined && { reason }),
    ...(payoutId !== undefined && { payout_id: payoutId }),
  });
  return { status, headers: { ...headersOf[code], ...headers }, body };
}

/** Whether a service's refusal is one that the merchant may read. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/**
 * The answer to a thrown error: a service's refusal verbatim; 503 where a service or our database
 * did not answer; anything else is a bug, whose cause is for the log alone.
 */
export function failureAnswer(error: unknown, log: Log): Answer {
  const refusal = readRefusal(error);
  // The operation id is derived from the idempotency key.
  if (refusal?.message === otherContent.detail) {
    return refusalAnswer(refused("IDEMPOTENCY_KEY_REUSED"));
  }
  if (refusal !== undefined && isErrorCode(refusal.code)) {
    const { code, message: detail, ...more } = refusal;
    return refusalAnswer({ refused: code, detail, ...more });
  }
  const isClosed = error instanceof MongoTopologyClosedError;
  if (isUnavailable(error) || isDatabaseUnavailable(error) || isClosed) {
    log.warn({ err: error }, "dependency did not answer");
    return refusalAnswer(refused("SERVICE_UNAVAILABLE"));
  }
  log.error({ err: error }, "request failed");
  return refusalAnswer(refused("INTERNAL_ERROR"));
}
