import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { createKeyMatching } from "../cache.ts";
import { admit, type KeyRecord, keyDigest, makeKey } from "./api-key.ts";
import {
  defaultEnd,
  everyScope,
  keyOrder,
  overlapProblem,
  overlapSecondsMax,
  scopesToGive,
} from "./key.ts";
import { addressSet, callerAddress, isCidr, senderOf } from "./source-address.ts";

const pepper = Buffer.alloc(32, 7);
const other = Buffer.alloc(32, 8);
const peppers = {
  current: "p2",
  byVersion: new Map([
    ["p2", other],
    ["p1", pepper],
  ]),
};
const presented = makeKey("sandbox", (size) => new Uint8Array(size).fill(5));
const now = new Date("2026-11-20T12:00:00.000Z");
const earlier = new Date(now.getTime() - 1);
const later = new Date(now.getTime() + 1);
const record: KeyRecord = {
  id: presented.id,
  merchantId: "mer_1",
  root: "root_1",
  name: "ERP",
  mode: "sandbox",
  digest: keyDigest(presented.text, pepper),
  pepper: "p1",
  scopes: new Set(["payout:read"]),
  endsAt: undefined,
  isRevoked: false,
  sources: undefined,
  sourceCidrs: [],
};
const matches = createKeyMatching(peppers);
const circumstances = { now, mode: "sandbox", address: "203.0.113.7", matches } as const;

it.each<[string, KeyRecord | undefined, string]>([
  ["a stored key", record, "admitted"],
  ["an unknown key", undefined, "UNAUTHENTICATED"],
  ["a key under another pepper", { ...record, pepper: "p2" }, "UNAUTHENTICATED"],
  ["a key under one that is gone", { ...record, pepper: "p0" }, "UNAUTHENTICATED"],
  [
    "a key under the current one",
    { ...record, pepper: "p2", digest: keyDigest(presented.text, other) },
    "admitted",
  ],
  ["another text", { ...record, digest: keyDigest("other", pepper) }, "UNAUTHENTICATED"],
  ["a key of the other mode", { ...record, mode: "live" }, "UNAUTHENTICATED"],
  ["a key that ends now", { ...record, endsAt: now }, "UNAUTHENTICATED"],
  ["a key that ends later", { ...record, endsAt: later }, "admitted"],
  ["a revoked key, whenever it was", { ...record, isRevoked: true }, "UNAUTHENTICATED"],
  ["its network", { ...record, sources: addressSet(["203.0.113.0/24"]) }, "admitted"],
  ["its address", { ...record, sources: addressSet(["203.0.113.7"]) }, "admitted"],
  ["another network", { ...record, sources: addressSet(["10.0.0.0/8"]) }, "ACCESS_FORBIDDEN"],
])("admission of %s", (_what, stored, verdict) => {
  const caller = admit(stored, presented, circumstances);
  expect(isRefused(caller) ? caller.refused : "admitted").toBe(verdict);
  if (isRefused(caller)) return;
  const actor = { kind: "api_key", id: presented.id, root: "root_1", name: "ERP" };
  expect(caller).toMatchObject({ merchantId: "mer_1", actor });
});

it("remembers only matching texts", () => {
  const another = makeKey("sandbox", (size) => new Uint8Array(size).fill(6));
  const verdicts = [presented, another, presented].map((each) => matches(record, each.text));
  expect(verdicts).toEqual([true, false, true]);
  expect(matches({ ...record, digest: keyDigest(another.text, pepper) }, presented.text)).toBe(
    false,
  );
});

it.each([
  ["10.1.2.3", undefined, "10.1.2.3"],
  ["::ffff:203.0.113.7", undefined, "203.0.113.7"],
  ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["10.0.0.1", "made up, 10.0.0.2", "made up"],
  ["10.0.0.1", "2001:db8::1", "2001:db8::1"],
])("peer %s with X-Forwarded-For %s is %s", (peer, forwarded, address) => {
  expect(callerAddress(peer, forwarded, addressSet(["10.0.0.0/8"]))).toBe(address);
});

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:0:7::1", "2001:db8:0:7"],
  ["2001:DB8:0:7:ffff:ffff:ffff:ffff", "2001:db8:0:7"],
  ["2001:db8:0:8::1", "2001:db8:0:8"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["made up", ""],
  ["", ""],
])("limits count %s as %s", (address, sender) => {
  expect(senderOf(address)).toBe(sender);
});

it.each([
  ["203.0.113.0/24", true],
  ["203.0.113.7", true],
  ["203.0.113.0/32", true],
  ["203.0.113.0/33", false],
  ["2001:db8::/128", true],
  ["2001:db8::/129", false],
  ["203.0.113", false],
  ["203.0.113.0/", false],
  ["example.com", false],
  ["", false],
])("%s is a network: %s", (text, yes) => {
  expect(isCidr(text)).toBe(yes);
});

const request = {
  merchantId: "mer_01hqz0000000000000000000ab",
  scopes: [],
  expiresAt: null,
  sourceCidrs: [],
  description: " till ",
};

it("defaults to a read-only live key that expires in a year", () => {
  const scopes = nouns.map((noun) => `${noun}:read`);
  expect(keyOrder(request, now, "live")).toMatchObject({ scopes });
  const some = { ...request, scopes: ["payout:write"], expiresAt: later };
  expect(keyOrder(some, now, "live")).toMatchObject({ ...some, description: "till" });
  expect(defaultEnd("live", now)).toEqual(new Date("2027-11-20T12:00:00.000Z"));
  expect(defaultEnd("sandbox", now)).toBeNull();
});

const nouns = ["beneficiary", "depositor", "quote", "payout", "account", "webhook"];

it("lets no caller give scopes that it does not have", () => {
  const own = new Set(["key:write", "payout:read"] as const);
  expect(scopesToGive(own, ["payout:read"])).toBeUndefined();
  expect(scopesToGive(own, [])).toBeUndefined();
  const refusal = { refused: "ACCESS_FORBIDDEN", reason: "scope_missing" };
  expect(scopesToGive(own, ["payout:read", "payout:write"])).toEqual(refusal);
  expect(scopesToGive(own, everyScope)).toEqual(refusal);
  // `keyOrder` refuses unknown scopes.
  expect(scopesToGive(own, ["payout:all"])).toBeUndefined();
});

it("gives a sandbox's key every scope unless some are named", () => {
  const checked = { ...request, description: "till", scopes: everyScope };
  expect(keyOrder(request, now, "sandbox")).toEqual(checked);
  const some = { ...request, scopes: ["payout:read", "payout:read"] };
  expect(keyOrder(some, now, "sandbox")).toMatchObject({ scopes: ["payout:read"] });
});

it.each([
  { expiresAt: new Date(now.getTime() + 1) },
  { sourceCidrs: Array(100).fill("127.0.0.1") },
  { description: "x".repeat(255) },
])("makes a key with as much as it may have", (wish) => {
  expect(keyOrder({ ...request, ...wish }, now, "sandbox")).toMatchObject(wish);
});

it.each([
  [{ merchantId: "acme" }, "merchant_id: must be a merchant's id"],
  [{ scopes: ["payout:all"] }, "scopes: must be of beneficiary:read, "],
  [{ expiresAt: now }, "expires_at: must be in the future"],
  [{ sourceCidrs: ["x"] }, "source_cidrs: must be addresses or networks (CIDR)"],
  [{ sourceCidrs: Array(101).fill("127.0.0.1") }, "source_cidrs: must be at most 100"],
  [{ description: "x".repeat(256) }, "description: must be at most 255 characters"],
  [{ description: "a\u0000" }, "description: must not contain control characters"],
  [{ merchantId: "", expiresAt: earlier }, "merchant_id: must be a merchant's id; expires_at: "],
])("refuses a key with %j", (wrong, message) => {
  const order = keyOrder({ ...request, ...wrong }, now, "live");
  expect(isRefused(order) && order.detail).toContain(message);
});

it.each([
  [-1, false],
  [0, true],
  [overlapSecondsMax, true],
  [overlapSecondsMax + 1, false],
])("an overlap of %d s is fine: %s", (seconds, fine) => {
  expect(overlapProblem(seconds) === undefined).toBe(fine);
});
