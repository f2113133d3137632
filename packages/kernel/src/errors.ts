/** The gRPC status codes that a refusal may have. */
type GrpcCode =
  | "InvalidArgument"
  | "NotFound"
  | "AlreadyExists"
  | "PermissionDenied"
  | "FailedPrecondition"
  | "Aborted"
  | "OutOfRange"
  | "Unavailable";

/** Creates a row of the table. Only the gateway itself raises errors without a gRPC code. */
function row<const Grpc extends GrpcCode | undefined = undefined>(
  status: number,
  message: string,
  grpc?: Grpc,
) {
  return { status, message, grpc } as { status: number; message: string; grpc: Grpc };
}

/** All public errors: the API's own, those of decisions §2 and the HTTP parser's. */
export const errorTable = {
  INVALID_WALLET_ADDRESS: row(400, "Wallet address is invalid", "InvalidArgument"),
  RISK_ANALYSIS_FAILED: row(400, "Wallet id was found risky", "FailedPrecondition"),
  RECORD_NOT_FOUND: row(404, "Unable to find the record requested.", "NotFound"),
  BENEFICIARY_CREATION_NOT_ALLOWED: row(
    403,
    "Beneficiary creation not allowed",
    "PermissionDenied",
  ),
  INVALID_JSON: row(400, "Please check the request payload."),
  CORRIDOR_NOT_ACTIVE: row(400, "Corridor Not Active", "FailedPrecondition"),
  ACCESS_FORBIDDEN: row(403, "You are not authorized to access this record.", "PermissionDenied"),
  BENEFICIARY_NOT_READY: row(
    409,
    "The screening of this beneficiary has not finished.",
    "FailedPrecondition",
  ),
  NOT_CANCELLABLE: row(
    409,
    "This payout is being sent or has ended, so it cannot be cancelled.",
    "FailedPrecondition",
  ),
  NOT_AWAITING_APPROVAL: row(409, "This payout is not awaiting approval.", "FailedPrecondition"),
  STATE_NOT_REACHABLE: row(
    409,
    "The record is in another state than the one that this request needs.",
    "FailedPrecondition",
  ),
  QUOTE_EXPIRED: row(400, "This quote is expired", "FailedPrecondition"),
  ALREADY_PROCESSED: row(400, "Transaction Already Processed", "AlreadyExists"),
  POSSIBLE_DUPLICATE: row(
    409,
    "An earlier payout to this account or wallet has the same amount and reference_id. To pay again, send allow_duplicate.",
    "AlreadyExists",
  ),
  AMOUNT_NOT_WITHIN_LIMITS: row(400, "Amount is not within limits.", "OutOfRange"),
  LIMIT_EXCEEDED: row(403, "This payout exceeds a velocity limit.", "FailedPrecondition"),
  INSUFFICIENT_BALANCE: row(
    400,
    "Balance is not sufficient for this transaction",
    "FailedPrecondition",
  ),
  SOURCE_ACCOUNT_CLOSED: row(409, "Your account is closed.", "FailedPrecondition"),
  INVALID_REQUEST: row(400, "The request is invalid.", "InvalidArgument"),
  UNAUTHENTICATED: row(401, "A valid API key is required."),
  ROUTE_NOT_FOUND: row(404, "This route does not exist."),
  METHOD_NOT_ALLOWED: row(405, "This route does not allow this method."),
  REQUEST_TIMEOUT: row(408, "The request did not arrive in time."),
  IDEMPOTENCY_IN_PROGRESS: row(
    409,
    "A request with this idempotency key is still running.",
    "Aborted",
  ),
  PAYLOAD_TOO_LARGE: row(413, "The request body is larger than 64 KiB."),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    "The request body must be application/json in UTF-8, without content encoding.",
  ),
  EXPECTATION_FAILED: row(417, "This expectation is not supported."),
  IDEMPOTENCY_KEY_REUSED: row(422, "This idempotency key was used before with another body."),
  RATE_LIMITED: row(429, "Too many requests with this API key."),
  HEADERS_TOO_LARGE: row(431, "The request headers are too large or too many."),
  INTERNAL_ERROR: row(500, "Something went wrong on our side."),
  NOT_IMPLEMENTED: row(501, "This transfer encoding is not supported."),
  SERVICE_UNAVAILABLE: row(503, "The service is not available right now.", "Unavailable"),
};

export type ErrorCode = keyof typeof errorTable;

/** Reasons that distinguish the causes of one error code, with a description of each. */
export const refusalReasons = {
  scope_missing:
    "The API key or the member's role does not have the scope that this route requires.",
  address_not_allowed: "The API key may not be used from this address.",
  key_limited:
    "The API key is limited to networks or expires, so it cannot give a role to a member, who would not have these limits.",
  sign_in_too_old: "This step requires a recent sign-in: sign in again.",
  csrf_token_missing: "The request has a session cookie but not the session's `X-CSRF-Token`.",
  other_merchant: "The record belongs to another merchant.",
  corridor_not_open: "The corridor is not open to this merchant.",
  beneficiary_not_cleared: "The beneficiary's screening did not clear it.",
  same_actor:
    "The caller, or an actor with the same root, created the payout or batch. Another actor must decide on its approval.",
} as const;

/** The closed list of values for `reason` in an error body. */
export type RefusalReason = keyof typeof refusalReasons;
