import { silentLog } from "@disburse/chassis/log.ts";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import { refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import {
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { expect, it } from "vitest";
import { failureAnswer, isErrorCode, refusalAnswer } from "./answer.ts";

/** Copied from the interface's table and decisions §2. */
it.each<[number, ErrorCode, string]>([
  [400, "INVALID_WALLET_ADDRESS", "Wallet address is invalid"],
  [400, "RISK_ANALYSIS_FAILED", "Wallet id was found risky"],
  [404, "RECORD_NOT_FOUND", "Unable to find the record requested."],
  [403, "BENEFICIARY_CREATION_NOT_ALLOWED", "Beneficiary creation not allowed"],
  [400, "INVALID_JSON", "Please check the request payload."],
  [400, "CORRIDOR_NOT_ACTIVE", "Corridor Not Active"],
  [403, "ACCESS_FORBIDDEN", "You are not authorized to access this record."],
  [400, "QUOTE_EXPIRED", "This quote is expired"],
  [400, "ALREADY_PROCESSED", "Transaction Already Processed"],
  [400, "AMOUNT_NOT_WITHIN_LIMITS", "Amount is not within limits."],
  [400, "INSUFFICIENT_BALANCE", "Balance is not sufficient for this transaction"],
])("%i %s", (status, code, message) => {
  const answer = refusalAnswer(refused(code));
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { code, message }]);
});

it.each<[number, ErrorCode]>([
  [400, "INVALID_REQUEST"],
  [401, "UNAUTHENTICATED"],
  [404, "ROUTE_NOT_FOUND"],
  [405, "METHOD_NOT_ALLOWED"],
  [408, "REQUEST_TIMEOUT"],
  [409, "BENEFICIARY_NOT_READY"],
  [409, "IDEMPOTENCY_IN_PROGRESS"],
  [413, "PAYLOAD_TOO_LARGE"],
  [415, "UNSUPPORTED_MEDIA_TYPE"],
  [417, "EXPECTATION_FAILED"],
  [422, "IDEMPOTENCY_KEY_REUSED"],
  [429, "RATE_LIMITED"],
  [431, "HEADERS_TOO_LARGE"],
  [500, "INTERNAL_ERROR"],
  [501, "NOT_IMPLEMENTED"],
  [503, "SERVICE_UNAVAILABLE"],
])("%i %s", (status, code) => {
  expect(errorTable[code].status).toBe(status);
});

it.each<[ErrorCode, string]>([
  ["BENEFICIARY_NOT_READY", "5"],
  ["IDEMPOTENCY_IN_PROGRESS", "1"],
])("%s has Retry-After: %s", (code, seconds) => {
  expect(refusalAnswer(refused(code)).headers["Retry-After"]).toBe(seconds);
});

it("names the payout in the way, as a service's refusal does", () => {
  const refusal = { ...refused("POSSIBLE_DUPLICATE"), payoutId: "po_1" };
  const error = refusalError(publicRefusals, refusal);
  for (const answer of [refusalAnswer(refusal), failureAnswer(error, silentLog)]) {
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.body)).toEqual({
      ...{ code: "POSSIBLE_DUPLICATE", message: errorTable.POSSIBLE_DUPLICATE.message },
      payout_id: "po_1",
    });
  }
});

it("sends a refusal's detail where it has one", () => {
  const { body } = refusalAnswer(refused("INVALID_REQUEST", "url: is required"));
  expect(JSON.parse(body)).toEqual({
    ...{ code: "INVALID_REQUEST", message: "url: is required" },
    violations: [{ field: "url", rule: "required", message: "is required" }],
  });
});

it("names no field where the refusal is about none", () => {
  const { body } = refusalAnswer(refused("INVALID_REQUEST", "This is no request."));
  expect(JSON.parse(body)).toEqual({ code: "INVALID_REQUEST", message: "This is no request." });
});

it("sends the reason of a code with several causes", () => {
  const { body } = refusalAnswer(refusedBecause("ACCESS_FORBIDDEN", "scope_missing"));
  expect(JSON.parse(body)).toMatchObject({ code: "ACCESS_FORBIDDEN", reason: "scope_missing" });
});

it("has every refusal of the services, with the same sentence", () => {
  for (const { code, message } of Object.values(publicRefusals)) {
    expect(isErrorCode(code) && errorTable[code].message).toBe(message);
  }
  expect(isErrorCode("constructor")).toBe(false);
});

/** The error of a replica set member that is no longer the primary. */
function elects(): MongoServerError {
  const error = new MongoServerError({ message: "10.0.0.7", code: 10_107 });
  error.addErrorLabel("RetryableWriteError");
  return error;
}

it.each([
  ["a broken connection", new MongoNetworkError("10.0.0.7:27017 closed"), 503],
  ["no server", Object.create(MongoServerSelectionError.prototype), 503],
  ["a slow database", new MongoOperationTimeoutError("10.0.0.7"), 503],
  ["a database that elects", elects(), 503],
  ["a database that says no", new MongoServerError({ message: "10.0.0.7", code: 2 }), 500],
  ["a bug", new RangeError("10.0.0.7"), 500],
  ["what is no error", "10.0.0.7", 500],
])("%s", (_what, error, status) => {
  const answer = failureAnswer(error, silentLog);
  expect(answer.status).toBe(status);
  expect(answer.headers["Retry-After"]).toBe(status === 503 ? "1" : undefined);
  expect(Object.keys(JSON.parse(answer.body))).toEqual(["code", "message"]);
  expect(answer.body).not.toContain("10.0.0.7");
});
