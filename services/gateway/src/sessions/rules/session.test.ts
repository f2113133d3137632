import { describe, expect, it } from "vitest";
import {
  carriesCsrfToken,
  cookieHeader,
  cookieName,
  cookieValue,
  csrfToken,
  idleMs,
  isSessionToken,
  needsCsrfToken,
  returnPath,
  sessionEnd,
  sessionId,
  wholeMs,
} from "./session.ts";

const token = "A".repeat(43);
const other = "B".repeat(43);

describe("a session", () => {
  it("expires when idle, and always after a working day", () => {
    const created = new Date("2026-11-20T08:00:00Z");
    const after = (ms: number) => new Date(created.getTime() + ms);
    expect(sessionEnd(created, created)).toEqual(after(idleMs));
    expect(sessionEnd(created, after(wholeMs - idleMs - 1))).toEqual(after(wholeMs - 1));
    expect(sessionEnd(created, after(wholeMs - idleMs + 1))).toEqual(after(wholeMs));
  });

  it("is stored under an id that reveals neither its token nor its CSRF token", () => {
    const [id, csrf] = [sessionId(token), csrfToken(token)];
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(csrf).toMatch(/^[\w-]{43}$/);
    expect(new Set([id, csrf, token, sessionId(other), csrfToken(other)]).size).toBe(5);
  });
});

it.each([
  [token, true],
  ["A".repeat(42), false],
  ["A".repeat(44), false],
  [`${"A".repeat(42)}=`, false],
  ["", false],
])("a token %s has the form of one: %s", (text, isOne) => {
  expect(isSessionToken(text)).toBe(isOne);
});

it.each([
  ["its own token", [csrfToken(token)], true],
  ["none", [], false],
  ["an empty one", [""], false],
  ["another session's", [csrfToken(other)], false],
  ["the session's token itself", [token], false],
  ["two", [csrfToken(token), csrfToken(token)], false],
])("a request with %s carries the CSRF token: %s", (_what, sent, isCarried) => {
  expect(carriesCsrfToken(token, sent)).toBe(isCarried);
});

it("methods that change something need the CSRF token", () => {
  expect(["GET", "HEAD", "OPTIONS"].filter(needsCsrfToken)).toEqual([]);
  const changing = ["POST", "PATCH", "DELETE", "PUT"];
  expect(changing.filter(needsCsrfToken)).toEqual(changing);
});

it.each([
  ["a=1; disburse_member=x; b=2", "x"],
  ["disburse_member=", ""],
  ["disburse_member=x; disburse_member=y", "x"],
  ["xdisburse_member=x", undefined],
  ["disburse_member_begun=x", undefined],
  [undefined, undefined],
])("of the cookies %s", (header, value) => {
  expect(cookieValue(header, "disburse_member")).toBe(value);
});

it("a cookie is read by no script, and over https sent over nothing else", () => {
  const cookie = { name: "n", value: "v", sameSite: "Strict", seconds: 60 } as const;
  const plain = "n=v; Path=/; HttpOnly; SameSite=Strict; Max-Age=60";
  expect(cookieHeader({ ...cookie, isSecure: false })).toBe(plain);
  expect(cookieHeader({ ...cookie, isSecure: true })).toBe(`${plain}; Secure`);
  expect(cookieName("operator", "https://ops.example.com")).toBe("__Host-disburse_operator");
  expect(cookieName("member", "http://127.0.0.1:8080")).toBe("disburse_member");
  expect(cookieName("member", undefined)).toBe("disburse_member");
});

it.each([
  ["/console/", "/console/"],
  ["/console/payouts/po_1", "/console/payouts/po_1"],
  ["/console/payouts?status=failed&from=2026-11-20T00:00:00Z", undefined],
  ["/console/payouts?q=a%20b,c", undefined],
  [undefined, "/console/"],
  ["", "/console/"],
  ["//evil.example", "/console/"],
  ["/console//evil.example", "/console/"],
  ["/console/\\evil.example", "/console/"],
  ["https://evil.example/console/", "/console/"],
  ["/consoles/", "/console/"],
  ["/console/../b/token", "/console/"],
  ["/console/payouts/../../b/token", "/console/"],
  ["/console/./payouts", "/console/"],
  ["/console/..", "/console/"],
  ["/console/%2e%2e/b/token", "/console/"],
  ["/console/.%2E/b/token", "/console/"],
  ["/console/%2f%2fevil.example", "/console/"],
  ["/console/a..b/...", undefined],
  ["/console/session/login?again=true", "/console/"],
  ["/console/session", "/console/"],
  ["/console/sessions", undefined],
  ["/console/a\r\nSet-Cookie: a=b", "/console/"],
  ["/api/v1/transfer/accounts", "/console/"],
])("a sign-in for the page %s leads to %s", (wanted, path = wanted) => {
  expect(returnPath(wanted)).toBe(path);
});

it("reads long addresses in linear time", () => {
  const started = performance.now();
  expect(returnPath(`/console/${"a".repeat(20_000)}!`)).toBe("/console/");
  expect(performance.now() - started).toBeLessThan(500);
});
