import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeKey } from "../keys/rules/api-key.ts";
import { mutation, startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let seen: string[] = [];
const accounts = "/api/v1/transfer/accounts";

beforeAll(async () => {
  gateway = await startTestGateway({ rateLimit: { perSecond: 0.001, burst: 20 } });
  gateway.fakes.payout.listAccounts = ({ merchantId }) => {
    seen.push(merchantId);
    return { accounts: [] };
  };
});
afterAll(() => gateway.stop());
beforeEach(() => {
  seen = [];
});

const newKey = (mode: "sandbox" | "live") =>
  makeKey(mode, (size) => crypto.getRandomValues(new Uint8Array(size))).text;

describe("a key", () => {
  it("speaks for its merchant", async () => {
    const [one, two] = [await gateway.merchant(), await gateway.merchant()];
    for (const { key } of [one, two]) {
      const reply = await gateway.ask({ path: accounts, key });
      expect(reply.status).toBe(200);
    }
    expect(seen).toEqual([one.merchantId, two.merchantId]);
  });

  it.each([
    ["none", () => ({})],
    ["empty", () => ({ headers: { authorization: "" } })],
    ["a basic credential", () => ({ headers: { authorization: "Basic YTpi" } })],
    ["a mistyped one", () => ({ key: `${newKey("sandbox").slice(0, -1)}~` })],
    ["an unknown one", () => ({ key: newKey("sandbox") })],
    ["one of the other mode", () => ({ key: newKey("live") })],
    ["one in the query", () => ({ path: `${accounts}?api_key=${newKey("sandbox")}` })],
  ])("is refused with 401: %s", async (_what, ask) => {
    const reply = await gateway.ask({ path: accounts, ...ask() });
    expect([reply.status, reply.json.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(reply.headers["www-authenticate"]).toBe("Bearer");
    expect(seen).toEqual([]);
  });

  it("is refused when it is sent twice", async () => {
    const { key } = await gateway.merchant();
    const line = `Authorization: Bearer ${key}\r\n`;
    const text = `GET ${accounts} HTTP/1.1\r\nHost: a\r\n${line}${line}Connection: close\r\n\r\n`;
    expect(await gateway.raw(text)).toMatch(/^HTTP\/1.1 401 /);
  });

  it("allows only what its scopes allow", async () => {
    const { key } = await gateway.merchant({ scopes: ["payout:read", "account:write"] });
    const reply = await gateway.ask({ path: accounts, key });
    expect([reply.status, reply.json.code]).toEqual([403, "ACCESS_FORBIDDEN"]);
    const other = await gateway.merchant({ scopes: ["account:read"] });
    expect((await gateway.ask({ path: accounts, key: other.key })).status).toBe(200);
  });

  it("works only from its networks", async () => {
    const far = await gateway.merchant({ sourceCidrs: ["203.0.113.0/24"] });
    const near = await gateway.merchant({ sourceCidrs: ["203.0.113.0/24", "127.0.0.0/8"] });
    const refusal = await gateway.ask({ path: accounts, key: far.key });
    expect([refusal.status, refusal.json.code]).toEqual([403, "ACCESS_FORBIDDEN"]);
    expect((await gateway.ask({ path: accounts, key: near.key })).status).toBe(200);
    const forged = { "x-forwarded-for": "203.0.113.7" };
    expect((await gateway.ask({ path: accounts, key: far.key, headers: forged })).status).toBe(403);
  });

  it("ends when it expires", async () => {
    const expiresAt = timestampFromDate(new Date(gateway.time.nowMs + 1_000));
    const { key } = await gateway.merchant({ expiresAt });
    expect((await gateway.ask({ path: accounts, key })).status).toBe(200);
    gateway.time.nowMs += 1_000;
    expect((await gateway.ask({ path: accounts, key })).status).toBe(401);
  });

  it("stops working here at once when it is revoked, elsewhere within 4 s", async () => {
    const { key, keyId } = await gateway.merchant();
    expect((await gateway.ask({ path: accounts, key })).status).toBe(200);
    await gateway.db
      .collection<{ _id: string }>("api_keys")
      .updateOne({ _id: keyId }, { $set: { revoked_at: new Date(gateway.time.nowMs) } });
    gateway.time.nowMs += 4_000;
    expect((await gateway.ask({ path: accounts, key })).status).toBe(200);
    gateway.time.nowMs += 1;
    expect((await gateway.ask({ path: accounts, key })).status).toBe(401);

    const other = await gateway.merchant();
    expect((await gateway.ask({ path: accounts, key: other.key })).status).toBe(200);
    await gateway.keys.revokeKey({ mutation: mutation(), keyId: other.keyId });
    expect((await gateway.ask({ path: accounts, key: other.key })).status).toBe(401);
  });
});

it("stays revoked for a gateway whose clock is a minute behind", async () => {
  const { key, keyId } = await gateway.merchant();
  const revoked_at = new Date(gateway.time.nowMs + 60_000);
  await gateway.db
    .collection<{ _id: string }>("api_keys")
    .updateOne({ _id: keyId }, { $set: { revoked_at } });
  expect((await gateway.ask({ path: accounts, key })).status).toBe(401);
});

describe("before any key is checked", () => {
  it.each([
    ["GET", "/api/v1/unknown", 404, "ROUTE_NOT_FOUND", undefined],
    ["GET", "/api/v2/transfer/payouts", 404, "ROUTE_NOT_FOUND", undefined],
    ["GET", "//", 404, "ROUTE_NOT_FOUND", undefined],
    ["GET", `${accounts}/`, 404, "ROUTE_NOT_FOUND", undefined],
    ["GET", "/API/v1/transfer/accounts", 404, "ROUTE_NOT_FOUND", undefined],
    ["DELETE", accounts, 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
    ["PUT", "/api/v1/transfer/execute", 405, "METHOD_NOT_ALLOWED", "OPTIONS, POST"],
    [
      "PUT",
      "/api/v1/webhooks/endpoints/x",
      405,
      "METHOD_NOT_ALLOWED",
      "DELETE, GET, HEAD, OPTIONS, PATCH",
    ],
    ["POST", "/healthz", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
  ])("%s %s is %i", async (method, path, status, code, allow) => {
    const reply = await gateway.ask({ method, path });
    expect([reply.status, reply.json.code, reply.headers.allow]).toEqual([status, code, allow]);
    expect(Object.keys(reply.json)).toEqual(["code", "message"]);
  });

  it("answers OPTIONS with what is allowed", async () => {
    const reply = await gateway.ask({ method: "OPTIONS", path: "/api/v1/transfer/rfq" });
    expect([reply.status, reply.headers.allow, reply.text]).toEqual([204, "OPTIONS, POST", ""]);
    expect((await gateway.ask({ method: "OPTIONS", path: "/unknown" })).status).toBe(404);
  });

  it("answers HEAD as GET, without the body", async () => {
    const { key } = await gateway.merchant();
    const reply = await gateway.ask({ method: "HEAD", path: accounts, key });
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect((await gateway.ask({ method: "HEAD", path: accounts })).status).toBe(401);
  });
});

it("limits each key separately, with headers on every answer", async () => {
  const [busy, calm] = [await gateway.merchant(), await gateway.merchant()];
  const replies = [];
  for (let at = 0; at < 21; at += 1) {
    replies.push(await gateway.ask({ path: accounts, key: busy.key }));
  }
  expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
  const [first, last] = [replies[0]!, replies[20]!];
  expect(first.headers).toMatchObject({ "ratelimit-limit": "20", "ratelimit-remaining": "19" });
  expect(last.json.code).toBe("RATE_LIMITED");
  expect(last.headers["ratelimit-remaining"]).toBe("0");
  expect(Number(last.headers["retry-after"])).toBeGreaterThan(900);
  expect((await gateway.ask({ path: accounts, key: calm.key })).status).toBe(200);
});

it("limits all keys of a merchant together to five times the limit of one", async () => {
  const merchantId = newId("merchant");
  const keys = await Promise.all(
    Array.from({ length: 7 }, () => gateway.keys.createKey({ mutation: mutation(), merchantId })),
  );
  const statuses: number[] = [];
  for (const { secret } of keys) {
    const sent = Array.from({ length: 15 }, () => gateway.ask({ path: accounts, key: secret }));
    statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
  }
  expect(statuses.filter((each) => each === 200)).toHaveLength(100);
  const last = await gateway.ask({ path: accounts, key: keys[6]?.secret });
  expect([last.status, last.json.code, last.headers["ratelimit-limit"]]).toEqual([
    ...[429, "RATE_LIMITED", "100"],
  ]);
  expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
  const other = await gateway.merchant();
  expect((await gateway.ask({ path: accounts, key: other.key })).status).toBe(200);
});
