export type ErrorBody = {
  readonly code: string;
  readonly message: string;
  readonly reason?: string;
  /** The earlier payout, for a possible duplicate. */
  readonly payout_id?: string;
  readonly violations?: readonly Violation[];
};

export type Violation = {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
  /** The row of an uploaded file, and the line's own reference. */
  readonly row?: number;
  readonly reference_id?: string;
  /** All rows with the same mistake, at most 100, and their count. */
  readonly rows?: readonly number[];
  readonly line_count?: number;
};

export class Problem extends Error {
  /** HTTP status, or 0 if no response arrived and the outcome is unknown. */
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly payout_id: string;
  readonly violations: readonly Violation[];
  /** Identifies the request for support. */
  readonly requestId: string;

  constructor(fields: Pick<Problem, "status" | "requestId"> & ErrorBody, cause?: unknown) {
    super(fields.message, cause === undefined ? {} : { cause });
    this.name = "Problem";
    this.status = fields.status;
    this.code = fields.code;
    this.reason = fields.reason ?? "";
    this.payout_id = fields.payout_id ?? "";
    this.violations = fields.violations ?? [];
    this.requestId = fields.requestId;
  }

  /** Creates a problem from an error response. */
  static of(status: number, body: Partial<ErrorBody>, requestId: string): Problem {
    const { code = `HTTP_${status}`, message = "" } = body;
    return new Problem({ ...body, status, requestId, code, message });
  }

  /** Creates a problem for a missing response; the request may have taken effect. */
  static noAnswer(cause: unknown): Problem {
    return new Problem({ status: 0, code: "NO_ANSWER", message: "", requestId: "" }, cause);
  }
}

/** Not an error: another person has to approve. */
export const needsApproval = "APPROVAL_REQUIRED";

/** A new sign-in solves this problem. */
export const needsSignIn = "SIGN_IN_AGAIN";

/** The session has ended, so nothing was done. */
export const isSignedOut = (error: unknown) => error instanceof Problem && error.status === 401;

/** Returns true if a retry may succeed. A person's changes are never retried automatically. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status >= 500);
}
