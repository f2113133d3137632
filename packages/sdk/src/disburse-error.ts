import type { ErrorCode } from "./gen/types.ts";

/** The SDK's own codes, where the platform did not answer with one. */
export type ClientErrorCode = "CONNECTION_FAILED" | "TIMEOUT" | "UNEXPECTED_ANSWER";

/**
 * Why a call failed, in kinds: `refused`: the platform answered with a code of its own;
 * `connection`: it could not be reached, or the answer broke off; `timeout`: the answer did not
 * come in time; `answer`: what came is none of the platform's, as the page of a proxy.
 */
export type ErrorKind = "refused" | "connection" | "timeout" | "answer";

/** A field of the request that failed. */
export type Violation = {
  /** Dotted path, or a header's name. */
  readonly field: string;
  /** What it broke: `required`, `format`, … The platform may add rules. */
  readonly rule: string;
  /** Explanation, for people. */
  readonly message: string;
};

/** What is known of a failed call. */
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

/** Recognises the error also where a program has the package twice. */
const brand: unique symbol = Symbol.for("@disburse/sdk.DisburseError") as never;

/**
 * A call failed, after the retries that it was worth. Neither key nor bodies are in its text. Where
 * it `mayHaveHappened`, call again with the same `idempotencyKey`, and it happens once.
 */
export class DisburseError extends Error {
  override readonly name = "DisburseError";
  readonly kind: ErrorKind;
  /** What a program decides by. The platform may add codes. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status; `undefined` where no answer came. */
  readonly status: number | undefined;
  /** Identifies the request in all logs; quote it to support. */
  readonly requestId: string;
  /** `Retry-After` of the answer. */
  readonly retryAfterSeconds: number | undefined;
  /** The key that a POST was sent with. */
  readonly idempotencyKey: string | undefined;
  /** Of `INVALID_REQUEST`: every field that failed; empty otherwise. */
  readonly violations: readonly Violation[];
  /** What tells apart the causes that share a code, `beneficiary_not_cleared`. */
  readonly reason: string | undefined;
  /** Of `POSSIBLE_DUPLICATE`: the earlier payout. */
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
   * Whether a POST may have been carried out all the same: no answer of the platform came, or it
   * failed (5xx), or an earlier try still runs (409 `IDEMPOTENCY_IN_PROGRESS`). Of other refusals
   * nothing was done.
   */
  get mayHaveHappened(): boolean {
    if (this.kind !== "refused") return true;
    return this.code === "IDEMPOTENCY_IN_PROGRESS" || (this.status ?? 500) >= 500;
  }

  get [brand](): true {
    return true;
  }
}

/** Whether something that was thrown is an error of this SDK. */
export function isDisburseError(error: unknown): error is DisburseError {
  return typeof error === "object" && error !== null && brand in error;
}
