import type { ErrorCode } from "./gen/types.ts";

/** Error codes of the SDK, for calls without an error response of the platform. */
export type ClientErrorCode = "CONNECTION_FAILED" | "TIMEOUT" | "UNEXPECTED_ANSWER";

/**
 * The kind of failure.
 *
 * - `refused`: the platform responded with an error code.
 * - `connection`: the platform could not be reached, or the connection broke off.
 * - `timeout`: no response arrived in time.
 * - `answer`: the response did not come from the platform, for example a proxy's error page.
 */
export type ErrorKind = "refused" | "connection" | "timeout" | "answer";

/** An invalid field of a request, as reported by the platform. */
export type Violation = {
  /** Dotted path of the field, or a header's name. */
  readonly field: string;
  /** The violated rule: `required`, `format`, … The platform may add rules. */
  readonly rule: string;
  /** Explanation for people, in English. */
  readonly message: string;
  /** The row of an uploaded file, as a spreadsheet counts it: the header is row 1. */
  readonly row?: number;
  /** The `reference_id` of the line of a batch. */
  readonly reference_id?: string;
  /** If several lines have the same mistake: their numbers from 1, at most 100. */
  readonly lines?: readonly number[];
  /** The rows of these lines in an uploaded file. */
  readonly rows?: readonly number[];
  /** The number of all these lines. */
  readonly line_count?: number;
};

export type ErrorDetails = {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly reason?: string | undefined;
  readonly payoutId?: string | undefined;
  readonly cause?: unknown;
};

/** Recognises the error even if a program contains two copies of this package. */
const brand: unique symbol = Symbol.for("@disburse/sdk.DisburseError") as never;

/**
 * A failed call, after all retries. The message contains neither the API key nor request or
 * response bodies. If `mayHaveHappened` is true, repeat the call with the same `idempotencyKey`:
 * the platform applies the change once.
 */
export class DisburseError extends Error {
  override readonly name = "DisburseError";
  readonly kind: ErrorKind;
  /** The error code for programs. The platform may add codes. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status, or `undefined` without a response. */
  readonly status: number | undefined;
  /** Identifies the request in all logs. Give this id to support. */
  readonly requestId: string;
  /** `Retry-After` of the response, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** The idempotency key of the request, if it had one. */
  readonly idempotencyKey: string | undefined;
  /** All invalid fields of an `INVALID_REQUEST`; empty for other codes. */
  readonly violations: readonly Violation[];
  /** Distinguishes causes that share a code, for example `beneficiary_not_cleared`. */
  readonly reason: string | undefined;
  /** The earlier payout's id, for `POSSIBLE_DUPLICATE`. */
  readonly payoutId: string | undefined;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = details.kind;
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.idempotencyKey = details.idempotencyKey;
    this.violations = details.violations ?? [];
    this.reason = details.reason;
    this.payoutId = details.payoutId;
  }

  /**
   * True if the platform may have applied a POST or PATCH: no response arrived, the status was 5xx,
   * or an earlier attempt is still running (409 `IDEMPOTENCY_IN_PROGRESS`). After any other error,
   * nothing has changed.
   */
  get mayHaveHappened(): boolean {
    if (this.kind !== "refused") return true;
    return this.code === "IDEMPOTENCY_IN_PROGRESS" || (this.status ?? 500) >= 500;
  }

  get [brand](): true {
    return true;
  }
}

/**
 * Returns true for a `DisburseError`, also if the error comes from another copy of this package.
 */
export function isDisburseError(error: unknown): error is DisburseError {
  return typeof error === "object" && error !== null && brand in error;
}
