import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { dataAnswer, refusalAnswer } from "../answer.ts";
import {
  errorCodeOf,
  headProblem,
  isPlain,
  readJsonBody,
  readPreferences,
  recordIdOf,
  targetProblem,
} from "./request.ts";

it.each([
  ["/", true],
  ["/api/v1/transfer/payouts?limit=2&x=%E2%82%AC", true],
  ["/a/%2e%2e/b", true],
  ["http://127.0.0.1/api", false],
  ["*", false],
  ["//a@[#", false],
  ["/a#b", false],
  ["/\xe4", false],
  ["", false],
  ["/a%00", false],
  ["/a?b=%0d%0a", false],
  ["/%zz", false],
  ["/%", false],
  ["/%ff", false],
])("the target %j is served: %s", (target, yes) => {
  expect(targetProblem(target) === undefined).toBe(yes);
});

describe("a request's head", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_header, at) => [`x-${at}`, "1"]).flat();
  it.each<[string, string[], string | undefined]>([
    ["one host", ["Host", "a"], undefined],
    ["100 headers", ["Host", "a", ...many(99)], undefined],
    ["101 headers", ["Host", "a", ...many(100)], "HEADERS_TOO_LARGE"],
    ["8 KiB in a header", ["Host", "a", "x", "v".repeat(8_191)], undefined],
    ["more than 8 KiB in a header", ["Host", "a", "x", "v".repeat(8_192)], "HEADERS_TOO_LARGE"],
    ["the one expectation", ["Host", "a", "Expect", "100-Continue"], undefined],
    ["another expectation", ["Host", "a", "Expect", "200-ok"], "EXPECTATION_FAILED"],
    ["no host", [], "INVALID_REQUEST"],
    ["two hosts", ["Host", "a", "host", "a"], "INVALID_REQUEST"],
    ["chunks", ["Host", "a", "Transfer-Encoding", "Chunked"], undefined],
    ["gzip in chunks", ["Host", "a", "Transfer-Encoding", "gzip, chunked"], "NOT_IMPLEMENTED"],
  ])("with %s", (_what, rawHeaders, code) => {
    const problem = headProblem({ target: "/", httpVersion: "1.1", rawHeaders });
    expect(problem?.refused).toBe(code);
  });

  it.each(["0.9", "1.2", "2.0", "3.0", ""])("is not of HTTP/%s", (httpVersion) => {
    const head = { target: "/", httpVersion, rawHeaders: ["Host", "a"] };
    expect(headProblem(head)?.refused).toBe("INVALID_REQUEST");
  });

  it("needs no host in HTTP/1.0", () => {
    const head = { target: "/", httpVersion: "1.0", rawHeaders: [] };
    expect(headProblem(head)).toBeUndefined();
  });
});

it.each([
  ["application/json", undefined, true],
  ["Application/JSON; charset=UTF-8", undefined, true],
  ['application/json;charset="utf-8"', "identity", true],
  ["application/json; charset=utf-16", undefined, false],
  ["application/json", "gzip", false],
  ["application/json", "", false],
  ["application/problem+json", undefined, false],
  ["text/plain", undefined, false],
  ["application/x-www-form-urlencoded", undefined, false],
  ["json", undefined, false],
  [undefined, undefined, false],
])("content type %s with encoding %s is read: %s", (type, encoding, yes) => {
  expect(isPlain(type, encoding)).toBe(yes);
});

describe("a body", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
  const wide = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_key, at) => [`k${at}`, 1])));
  it.each<[string, string | Buffer, string]>([
    ["an object", '{"a":[1,"x:y\\":{"]}', "read"],
    ["empty", "", "INVALID_JSON"],
    ["truncated", '{"a":', "INVALID_JSON"],
    ["followed by more", '{"a":1}x', "INVALID_JSON"],
    ["not a number", '{"a":NaN}', "INVALID_JSON"],
    ["a byte-order mark", "\ufeff{}", "read"],
    ["two byte-order marks", "\ufeff\ufeff{}", "INVALID_JSON"],
    ["not UTF-8", Buffer.from('{"a":"\xe9"}', "latin1"), "INVALID_JSON"],
    ["a key twice", '{"a":1,"a":2}', "INVALID_JSON"],
    ["a key twice, the same", '{"a":1,"a":1}', "INVALID_JSON"],
    ["a key twice, escaped", '{"b":[{"a":1,"\\u0061":1}]}', "INVALID_JSON"],
    ["10 deep", nested(10), "read"],
    ["11 deep", nested(11), "INVALID_JSON"],
    ["200,000 deep", "[".repeat(200_000), "INVALID_JSON"],
    ["200 keys", wide(200), "read"],
    ["201 keys", wide(201), "INVALID_REQUEST"],
    ["an array", "[]", "INVALID_REQUEST"],
    ["null", "null", "INVALID_REQUEST"],
    ["a string", '"x"', "INVALID_REQUEST"],
    ["a number", "1", "INVALID_REQUEST"],
    ["true", "true", "INVALID_REQUEST"],
  ])("%s", (_what, text, verdict) => {
    const body = readJsonBody(Buffer.from(text));
    expect(isRefused(body) ? body.refused : "read").toBe(verdict);
  });
});

const id = "po_01hqz0000000000000000000ab";
const other = "acc_01hqz0000000000000000000ab";
const bodyOf = (data: unknown) => dataAnswer(data).body;

it("finds the code of errors only", () => {
  const { status, body } = refusalAnswer(refused("RATE_LIMITED"));
  expect(errorCodeOf(status, body)).toBe("RATE_LIMITED");
  expect(errorCodeOf(200, body)).toBeUndefined();
  expect(errorCodeOf(500, "<html>")).toBeUndefined();
  expect(errorCodeOf(500, Buffer.from(body))).toBeUndefined();
});

it.each([
  ["of the answer", bodyOf({ id, name: "Ada" }), [other], id],
  ["under its noun", bodyOf({ payout_id: id }), [], id],
  ["of the path, where the answer has none", bodyOf({ entries: [{ id }] }), [other], other],
  ["of the path, of an error", refusalAnswer(refused("RECORD_NOT_FOUND")).body, [other], other],
  ["the last of the path", undefined, [other, id], id],
  ["no text of the caller's own", bodyOf({}), ["ada@example.com"], undefined],
  ["no id that is not the record's", bodyOf({ name: "x", id }), [], undefined],
])("finds the record: %s", (_, body, params, found) => {
  expect(recordIdOf(body, params)).toBe(found);
});

it.each([
  [{}, {}],
  [{ "disburse-strict": "true" }, { isStrict: true }],
  [{ "disburse-strict": "false", "disburse-amounts": "number" }, {}],
  [{ "disburse-amounts": "string" }, { textAmounts: true }],
  [{ "disburse-dry-run": "true" }, { isDryRun: true }],
  [{ "disburse-dry-run": "false" }, {}],
])("%j are %j", (headers, preferences) => {
  const none = { isStrict: false, textAmounts: false, isDryRun: false };
  expect(readPreferences(headers)).toEqual({ ...none, ...preferences });
});

it.each([
  [{ "disburse-strict": "yes" }, "Disburse-Strict: must be one of false, true"],
  [{ "disburse-strict": "true, true" }, "Disburse-Strict: must be one of false, true"],
  [{ "disburse-amounts": "" }, "Disburse-Amounts: must be one of number, string"],
])("refuses %j", (headers, message) => {
  const refusal = readPreferences(headers);
  expect(isRefused(refusal) && refusal.detail).toBe(message);
});
