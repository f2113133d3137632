/** gRPC's status codes that a refusal may have, by name. */
type GrpcCode =
  | "InvalidArgument"
  | "NotFound"
  | "AlreadyExists"
  | "PermissionDenied"
  | "FailedPrecondition"
  | "Aborted"
  | "OutOfRange"
  | "Unavailable";

/**
 * One error of the public interface: its HTTP status, its sentence, and the gRPC code of the
 * service that refuses with it. A row without `grpc` is the gateway's own.
 */
type ErrorRow = {
  readonly status: number;
  readonly grpc?: GrpcCode;
  readonly message: string;
};

/**
 * Every error that a merchant can read: the interface's table first, its sentences letter for
 * letter; then decisions §2 and the HTTP parser's.
 */
export const errorTable = {
  INVALID_WALLET_ADDRESS: {
    status: 400,
    grpc: "InvalidArgument",
    message: "Wallet address is invalid",
  },
  RISK_ANALYSIS_FAILED: {
    status: 400,
    grpc: "FailedPrecondition",
    message: "Wallet id was found risky",
  },
  RECORD_NOT_FOUND: {
    status: 404,
    grpc: "NotFound",
    message: "Unable to find the record requested.",
  },
  BENEFICIARY_CREATION_NOT_ALLOWED: {
    status: 403,
    grpc: "PermissionDenied",
    message: "Beneficiary creation not allowed",
  },
  INVALID_JSON: { status: 400, message: "Please check the request payload." },
  CORRIDOR_NOT_ACTIVE: { status: 400, grpc: "FailedPrecondition", message: "Corridor Not Active" },
  ACCESS_FORBIDDEN: {
    status: 403,
    grpc: "PermissionDenied",
    message: "You are not authorized to access this record.",
  },
  QUOTE_EXPIRED: { status: 400, grpc: "FailedPrecondition", message: "This quote is expired" },
  ALREADY_PROCESSED: {
    status: 400,
    grpc: "AlreadyExists",
    message: "Transaction Already Processed",
  },
  AMOUNT_NOT_WITHIN_LIMITS: {
    status: 400,
    grpc: "OutOfRange",
    message: "Amount is not within limits.",
  },
  INSUFFICIENT_BALANCE: {
    status: 400,
    grpc: "FailedPrecondition",
    message: "Balance is not sufficient for this transaction",
  },
  INVALID_REQUEST: { status: 400, grpc: "InvalidArgument", message: "The request is invalid." },
  UNAUTHENTICATED: { status: 401, message: "A valid API key is required." },
  ROUTE_NOT_FOUND: { status: 404, message: "There is no such route." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This route does not allow this method." },
  REQUEST_TIMEOUT: { status: 408, message: "The request did not arrive in time." },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    grpc: "Aborted",
    message: "A request with this idempotency key is still running.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is larger than 64 KiB." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "The request body must be application/json in UTF-8, without content encoding.",
  },
  EXPECTATION_FAILED: { status: 417, message: "This expectation is not supported." },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This idempotency key was used before with another body.",
  },
  RATE_LIMITED: { status: 429, message: "Too many requests with this API key." },
  HEADERS_TOO_LARGE: { status: 431, message: "The request headers are too large or too many." },
  INTERNAL_ERROR: { status: 500, message: "Something went wrong on our side." },
  NOT_IMPLEMENTED: { status: 501, message: "This transfer encoding is not supported." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    grpc: "Unavailable",
    message: "The service is not available right now.",
  },
} as const satisfies Record<string, ErrorRow>;

/** Every code of the public interface. */
export type ErrorCode = keyof typeof errorTable;
