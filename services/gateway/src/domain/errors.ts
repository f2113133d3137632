import type { Refused } from "@disburse/kernel/refusal.ts";

/**
 * Every code that a merchant can read: the interface's table first, then decisions §2 and the
 * parser's.
 */
export type ErrorCode =
  | "INVALID_WALLET_ADDRESS"
  | "RISK_ANALYSIS_FAILED"
  | "RECORD_NOT_FOUND"
  | "BENEFICIARY_CREATION_NOT_ALLOWED"
  | "INVALID_JSON"
  | "CORRIDOR_NOT_ACTIVE"
  | "ACCESS_FORBIDDEN"
  | "QUOTE_EXPIRED"
  | "ALREADY_PROCESSED"
  | "AMOUNT_NOT_WITHIN_LIMITS"
  | "INSUFFICIENT_BALANCE"
  | "INVALID_REQUEST"
  | "UNAUTHENTICATED"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "EXPECTATION_FAILED"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "HEADERS_TOO_LARGE"
  | "INTERNAL_ERROR"
  | "NOT_IMPLEMENTED"
  | "SERVICE_UNAVAILABLE";

type ErrorRow = { readonly status: number; readonly message: string };

/**
 * HTTP status and sentence of each code; the interface's sentences are its own, letter for letter.
 */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  INVALID_WALLET_ADDRESS: { status: 400, message: "Wallet address is invalid" },
  RISK_ANALYSIS_FAILED: { status: 400, message: "Wallet id was found risky" },
  RECORD_NOT_FOUND: { status: 404, message: "Unable to find the record requested." },
  BENEFICIARY_CREATION_NOT_ALLOWED: { status: 403, message: "Beneficiary creation not allowed" },
  INVALID_JSON: { status: 400, message: "Please check the request payload." },
  CORRIDOR_NOT_ACTIVE: { status: 400, message: "Corridor Not Active" },
  ACCESS_FORBIDDEN: { status: 403, message: "You are not authorized to access this record." },
  QUOTE_EXPIRED: { status: 400, message: "This quote is expired" },
  ALREADY_PROCESSED: { status: 400, message: "Transaction Already Processed" },
  AMOUNT_NOT_WITHIN_LIMITS: { status: 400, message: "Amount is not within limits." },
  INSUFFICIENT_BALANCE: { status: 400, message: "Balance is not sufficient for this transaction" },
  INVALID_REQUEST: { status: 400, message: "The request is invalid." },
  UNAUTHENTICATED: { status: 401, message: "A valid API key is required." },
  ROUTE_NOT_FOUND: { status: 404, message: "There is no such route." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This route does not allow this method." },
  REQUEST_TIMEOUT: { status: 408, message: "The request did not arrive in time." },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
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
  SERVICE_UNAVAILABLE: { status: 503, message: "The service is not available right now." },
};

/** Whether a service's refusal is one that the merchant may read. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** What goes on the wire for a refusal: its status, and exactly `{ code, message }`. */
export function wireError(refusal: Refused<ErrorCode>): {
  status: number;
  body: { code: ErrorCode; message: string };
} {
  const row = errorTable[refusal.refused];
  return {
    status: row.status,
    body: { code: refusal.refused, message: refusal.detail ?? row.message },
  };
}
