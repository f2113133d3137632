import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import {
  type EndpointChange,
  type EndpointOperation,
  type EndpointRecord,
  operationsMax,
  repeatMs,
  revised,
} from "./endpoint.ts";

const start = new Date("2026-11-20T00:00:00.000Z");
const after = (ms: number): Date => new Date(start.getTime() + ms);
const operation = (id: string, at = start, keyId?: string): EndpointOperation => ({
  id,
  kind: keyId === undefined ? "activate" : "rotate",
  keyId,
  actor: { kind: "api_key", id: "k" },
  at,
});
const key = (id: string, madeAt = start) => ({ id, secret: "s", standardSecret: "t", madeAt });
const created: EndpointRecord = {
  id: "whe_1",
  merchantId: "mer_1",
  url: "https://hooks.example.com/",
  description: "",
  createdAt: start,
  updatedAt: start,
  revision: 1,
  signing: { current: "k1" },
  keys: [key("k1")],
  operations: [operation("create", start, "k1")],
};
const full: EndpointRecord = {
  ...created,
  operations: Array.from({ length: operationsMax }, (_none, at) => operation(`o${at}`)),
};
function next(from: EndpointRecord, change: EndpointChange): EndpointRecord {
  const made = revised(from, change);
  if (isRefused(made)) throw new Error(made.detail);
  return made;
}

describe("endpoint", () => {
  it("keeps keys that sign or that a repeat is owed, drops them with their operation", () => {
    const rotated = next(created, {
      operation: operation("r", after(1), "k2"),
      signing: { current: "k2" },
      newKey: key("k2"),
    });
    expect(rotated.keys.map(({ id }) => id)).toEqual(["k1", "k2"]);
    expect(rotated).toMatchObject({ revision: 2, updatedAt: after(1), deletedAt: undefined });
    const old = { ...rotated, operations: [...rotated.operations, ...full.operations] };
    const later = next(old, { operation: operation("late", after(repeatMs + 1)) });
    expect(later.keys.map(({ id }) => id)).toEqual(["k2"]);
    expect(later.operations.map(({ id }) => id)).toEqual(["late"]);
  });

  it.each([
    ["refuses one change too many within 30 days", after(repeatMs - 1), {}, true],
    ["forgets those that are older", after(repeatMs), {}, false],
    ["can always be deleted", after(1), { isDeleted: true }, false],
  ])("%s", (_name, at, change, isRefusal) => {
    const made = revised(full, { operation: operation("one more", at), ...change });
    expect(isRefused(made)).toBe(isRefusal);
  });
});
