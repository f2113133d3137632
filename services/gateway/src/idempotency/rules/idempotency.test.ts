import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import {
  endOf,
  fingerprintOf,
  type IdempotencyRecord,
  idempotencyKey,
  operationIdOf,
  scopeId,
  startOf,
} from "./idempotency.ts";

const scope = { merchantId: "mer_1", method: "POST", path: "/a", key: "k" };
const now = new Date(1_000_000);
const later = new Date(1_000_001);

it.each([
  [[], undefined],
  [["order-1 ~"], "order-1 ~"],
  [["x".repeat(255)], "x".repeat(255)],
  [["x".repeat(256)], "refused"],
  [[""], "refused"],
  [["é"], "refused"],
  [["a\tb"], "refused"],
  [["a", "a"], "refused"],
])("the headers %j give the key %s", (values, key) => {
  const read = idempotencyKey(values);
  expect(isRefused(read) ? "refused" : read).toBe(key);
});

it("has one operation for merchant, method, path and key", () => {
  const others = [{ merchantId: "mer_2" }, { method: "PUT" }, { path: "/a/k" }, { key: "k2" }];
  const scopes = [scope, ...others.map((other) => ({ ...scope, ...other }))];
  const ids = scopes.map(operationIdOf);
  expect(new Set(ids).size).toBe(scopes.length);
  expect(operationIdOf({ ...scope })).toBe(ids[0]);
  expect(ids[0]).toMatch(/^op_[0-9a-f]{64}$/);
  expect(scopeId({ ...scope, path: "/ak", key: "" })).not.toBe(scopeId(scope));
});

describe("the fingerprint", () => {
  const of = (text: string) => fingerprintOf(parseExactJson(text));
  const body = '{"a":"x","b":[1.10,{"c":null,"d":true}]}';
  it.each([
    ['{ "b": [1.1, {"d": true, "c": null}], "a": "x" }', true],
    ['{"a":"x","b":[11e-1,{"c":null,"d":true}]}', true],
    ['{"a":"x","b":["1.10",{"c":null,"d":true}]}', false],
    ['{"a":"x","b":[1.11,{"c":null,"d":true}]}', false],
    ['{"a":"x","b":[{"c":null,"d":true},1.10]}', false],
    ['{"a":"x","b":[1.10,{"c":false,"d":true}]}', false],
    ['{"a":"x","b":[1.10,{"d":true}]}', false],
    ['{"a":"x","b":[1.10,[["c",null],["d",true]]]}', false],
    ['{"a":"x","b":{"0":1.10,"1":{"c":null,"d":true}}}', false],
    ['{"a":"x","b":[{"number":"1.1"},{"c":null,"d":true}]}', false],
  ])("of %s is the same: %s", (text, same) => {
    expect(of(text) === of(body)).toBe(same);
  });

  it("does not change: stored keys are compared with it", () => {
    expect(of(body)).toBe("d6ca084bec4e81d2e63070bdb2bf92ec9a05cc93a379d02e6b6591c9c8002376");
  });

  it("distinguishes numbers that a float cannot", () => {
    expect(of('{"a":9007199254740993}')).not.toBe(of('{"a":9007199254740992}'));
    expect(of('{"a":1e400}')).not.toBe(of('{"a":1e401}'));
  });
});

const tomorrow = new Date(now.getTime() + 86_400_000);

type Progress = IdempotencyRecord<string>["progress"];
const locked = (ms: number): Progress => ({
  ...{ state: "running", lockUntil: new Date(now.getTime() + ms) },
});

it.each<[string, Progress | undefined, string, Date, string]>([
  ["an unknown key", undefined, "f", later, "new"],
  ["a running one", { state: "running", lockUntil: later }, "f", later, "IDEMPOTENCY_IN_PROGRESS"],
  ["one locked as long as may be", locked(60_000), "f", later, "IDEMPOTENCY_IN_PROGRESS"],
  ["one locked for longer", locked(60_001), "f", later, "again"],
  ["one locked by a wrong clock", { state: "running", lockUntil: tomorrow }, "f", later, "again"],
  ["one whose lock ended", { state: "running", lockUntil: now }, "f", later, "again"],
  ["one left open", { state: "open" }, "f", later, "again"],
  ["an answered one", { state: "done", answer: "A" }, "f", later, "replay"],
  ["another body", { state: "done", answer: "A" }, "g", later, "IDEMPOTENCY_KEY_REUSED"],
  ["another body, open", { state: "open" }, "g", later, "IDEMPOTENCY_KEY_REUSED"],
  ["one past its 30 days", { state: "done", answer: "A" }, "g", now, "new"],
])("%s", (_what, progress, fingerprint, expiresAt, verdict) => {
  const record = progress && { fingerprint: "f", expiresAt, progress };
  const start = startOf(record, fingerprint, now);
  expect(isRefused(start) ? start.refused : start.start).toBe(verdict);
  if ("answer" in start) expect(start.answer).toBe("A");
});

it.each([
  [200, "keep answer"],
  [399, "keep answer"],
  [400, "free"],
  [499, "free"],
  [500, "leave open"],
  [503, "leave open"],
])("after %i: %s", (status, end) => {
  expect(endOf(status)).toBe(end);
});
