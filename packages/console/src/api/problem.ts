/** The body of an error of the public routes. */
export type ErrorBody = {
  readonly code: string;
  readonly message: string;
  readonly reason?: string;
  /** Of a possible duplicate: the payout that it may repeat. */
  readonly payout_id?: string;
  readonly violations?: readonly Violation[];
};

/** A field that failed. */
export type Violation = { readonly field: string; readonly rule: string; readonly message: string };

/** Why a request did not do what was asked. */
export class Problem extends Error {
  /** HTTP status; 0 where no answer came, and the outcome is not known. */
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly payout_id: string;
  readonly violations: readonly Violation[];
  /** By which support finds the request. */
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

  /** Of an answer that is an error. */
  static of(status: number, body: Partial<ErrorBody>, requestId: string): Problem {
    const { code = `HTTP_${status}`, message = "" } = body;
    return new Problem({ ...body, status, requestId, code, message });
  }

  /** Of a request whose answer did not come: it may have had its effect. */
  static noAnswer(cause: unknown): Problem {
    return new Problem({ status: 0, code: "NO_ANSWER", message: "", requestId: "" }, cause);
  }
}

/** Whether trying the same request again may help; what a person decides is not repeated. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status >= 500);
}
