import { crc32 } from "node:zlib";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Merchant, merchantOf } from "@disburse/testkit/merchant.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bankBody, depositorBody, paths } from "./bodies.ts";
import { exchange, lastAnswer } from "./raw.ts";

let platform: TestPlatform;
/** Applies to each key. A merchant has five times as many, which these tests share. */
const burst = 250;
beforeAll(async () => {
  platform = await startTestPlatform({
    RATE_LIMIT_BURST: String(burst),
    RATE_LIMIT_PER_SECOND: "1",
  });
});
afterAll(() => platform?.stop());

const mutation = () => ({ operationId: crypto.randomUUID() });
type Wish = { readonly scopes?: string[]; readonly sourceCidrs?: string[] };

async function newKey(wish: Wish & { expiresAt?: ReturnType<typeof timestampFromDate> } = {}) {
  const { merchant_id: merchantId } = platform.sandbox.merchants.acme;
  const created = await platform.clients.keys.createKey({
    mutation: mutation(),
    merchantId,
    ...wish,
  });
  return { secret: created.secret, keyId: created.key?.id ?? "" };
}

async function caller(wish: Wish = {}): Promise<Merchant> {
  return merchantOf(platform.baseUrl, (await newKey(wish)).secret);
}

const messages = {
  UNAUTHENTICATED: [401, "A valid API key is required."],
  ACCESS_FORBIDDEN: [403, "You are not authorized to access this record."],
  ROUTE_NOT_FOUND: [404, "This route does not exist."],
  METHOD_NOT_ALLOWED: [405, "This route does not allow this method."],
  PAYLOAD_TOO_LARGE: [413, "The request body is larger than 64 KiB."],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "The request body must be application/json in UTF-8, without content encoding.",
  ],
  RATE_LIMITED: [429, "Too many requests with this API key."],
} as const;

/** A hint follows the code's message. */
function expectCode(
  answer: { status: number; json: unknown },
  code: keyof typeof messages,
  hint = "",
) {
  const [status, text] = messages[code];
  const message = hint === "" ? text : `${text} ${hint}`;
  expect([answer.status, answer.json]).toMatchObject([status, { code, message }]);
}

const digits62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns a well-formed key that was never created. */
function unknownKey(prefix: string): string {
  const text = prefix + "0".repeat(51);
  let sum = "";
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) {
    sum = digits62.charAt(rest % 62) + sum;
  }
  return text + sum.padStart(6, "0");
}

describe("UNAUTHENTICATED", () => {
  const key = () => platform.apiKey("acme");
  const bearer = "Send it as `Authorization: Bearer <api key>`";
  const cases: [string, () => Record<string, string>, string][] = [
    ["no key", () => ({}), `${bearer}.`],
    ["an empty one", () => ({ authorization: "Bearer " }), `${bearer}.`],
    ["another scheme", () => ({ authorization: `Basic ${key()}` }), `${bearer}, not as Basic.`],
    ["the bare key", () => ({ authorization: key() }), `${bearer}.`],
    ["a mistyped one", () => ({ authorization: `Bearer ${key().slice(0, -1)}~` }), ""],
    ["letters changed", () => ({ authorization: `Bearer ${key().replace(/..$/, "00")}` }), ""],
    ["an unknown one", () => ({ authorization: `Bearer ${unknownKey("dsb_test_")}` }), ""],
    [
      "one of live mode",
      () => ({ authorization: `Bearer ${unknownKey("dsb_live_")}` }),
      "Keys of this sandbox begin with dsb_test_.",
    ],
    ["something long", () => ({ authorization: `Bearer ${"a".repeat(5_000)}` }), ""],
    ["one in another header", () => ({ "x-api-key": key() }), `${bearer}, not as X-API-Key.`],
  ];
  it.each(cases)("%s", async (_what, headers, hint) => {
    for (const path of [paths.payouts, `${paths.payouts}?api_key=${key()}`, paths.accounts]) {
      const response = await fetch(platform.baseUrl + path, { headers: headers() });
      expectCode({ status: response.status, json: await response.json() }, "UNAUTHENTICATED", hint);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("x-request-id")).not.toBeNull();
    }
    const sent = { "content-type": "application/json", ...headers() };
    for (const body of ["{", JSON.stringify(bankBody()), "x".repeat(70_000)]) {
      const post = { method: "POST", headers: sent, body };
      const response = await fetch(platform.baseUrl + paths.fiat, post);
      expect(response.status).toBe(401);
    }
  });

  it("two of them", async () => {
    const line = `Authorization: Bearer ${key()}\r\n`;
    const ask = (lines: string) =>
      exchange(
        platform.baseUrl,
        `GET ${paths.payouts} HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`,
      );
    expect(lastAnswer(await ask(line)).status).toBe(200);
    const { status, body } = lastAnswer(await ask(line + line));
    const hint = "Send exactly one Authorization header.";
    expectCode({ status, json: JSON.parse(body) }, "UNAUTHENTICATED", hint);
  });

  it("a key that was revoked, or has expired, or was replaced", async () => {
    const { keys } = platform.clients;
    const [revoked, rotated, replaced] = [await newKey(), await newKey(), await newKey()];
    const expiresAt = timestampFromDate(new Date(Date.now() + 6_000));
    const expiring = await newKey({ expiresAt });
    const answers = (secret: string) => merchantOf(platform.baseUrl, secret).get(paths.payouts);
    for (const { secret } of [expiring, revoked, rotated, replaced]) {
      expect((await answers(secret)).status).toBe(200);
    }
    await keys.revokeKey({ mutation: mutation(), keyId: revoked.keyId });
    const overlap = { mutation: mutation(), keyId: rotated.keyId, overlapSeconds: 600 };
    const second = await keys.rotateKey(overlap);
    const atOnce = { mutation: mutation(), keyId: replaced.keyId, overlapSeconds: 0 };
    const third = await keys.rotateKey(atOnce);
    for (const { secret } of [rotated, second, third]) {
      expect((await answers(secret)).status).toBe(200);
    }
    for (const { secret } of [revoked, replaced, expiring]) {
      await vi.waitFor(async () => expectCode(await answers(secret), "UNAUTHENTICATED"), {
        timeout: 20_000,
        interval: 200,
      });
    }
  });
});

describe("ACCESS_FORBIDDEN", () => {
  const needs: [scope: string, method: string, path: string, body?: object][] = [
    ["beneficiary:write", "POST", paths.crypto, {}],
    ["beneficiary:write", "POST", paths.fiat, {}],
    ["beneficiary:read", "GET", `${paths.beneficiaries}/x`],
    ["depositor:write", "POST", paths.depositor, {}],
    ["depositor:read", "GET", `${paths.depositor}/x`],
    ["quote:write", "POST", paths.rfq, {}],
    ["quote:read", "GET", `${paths.quotes}/x`],
    ["payout:write", "POST", paths.execute, {}],
    ["payout:read", "GET", paths.payouts],
    ["payout:read", "GET", `${paths.payouts}/x`],
    ["payout:read", "GET", `${paths.payouts}/x/events`],
    ["account:read", "GET", paths.accounts],
    ["account:read", "GET", `${paths.accounts}/x`],
    ["account:read", "GET", `${paths.accounts}/x/entries`],
    ["account:read", "GET", `${paths.accounts}/x/entries.csv`],
    ["webhook:write", "POST", paths.endpoints, {}],
    ["webhook:read", "GET", paths.endpoints],
    ["webhook:read", "GET", `${paths.endpoints}/x`],
    ["webhook:write", "PATCH", `${paths.endpoints}/x`, {}],
    ["webhook:write", "DELETE", `${paths.endpoints}/x`],
    ["webhook:write", "POST", `${paths.endpoints}/x/pause`],
    ["webhook:write", "POST", `${paths.endpoints}/x/resume`],
    ["webhook:write", "POST", `${paths.endpoints}/x/verify`],
    ["webhook:write", "POST", `${paths.endpoints}/x/rotate-secret`],
    ["webhook:write", "POST", `${paths.endpoints}/x/activate-secret`],
    ["webhook:write", "POST", `${paths.endpoints}/x/test`],
    ["webhook:read", "GET", paths.deliveries],
    ["webhook:read", "GET", `${paths.deliveries}/x`],
    ["webhook:write", "POST", `${paths.deliveries}/x/redeliver`],
  ];
  it("a key does what its scopes say and nothing else", async () => {
    const scopes = [...new Set(needs.map(([scope]) => scope))];
    for (const scope of scopes) {
      const others = await caller({ scopes: scopes.filter((each) => each !== scope) });
      const alone = await caller({ scopes: [scope] });
      for (const [needed, method, path, body] of needs) {
        const isNeeded = needed === scope;
        const forbidden = await (isNeeded ? others : alone).call(method, path, body);
        expectCode(forbidden, "ACCESS_FORBIDDEN");
        const admitted = await (isNeeded ? alone : others).call(method, path, body);
        expect([200, 400, 404], `${scope} ${method} ${path}`).toContain(admitted.status);
      }
    }
  });

  it("a key is used from its own networks alone", async () => {
    const elsewhere = await caller({ sourceCidrs: ["203.0.113.0/24", "2001:db8::/32"] });
    expectCode(await elsewhere.get(paths.payouts), "ACCESS_FORBIDDEN");
    const forwarded = { "x-forwarded-for": "203.0.113.7" };
    expectCode(await elsewhere.get(paths.payouts, forwarded), "ACCESS_FORBIDDEN");
    const here = await caller({ sourceCidrs: ["203.0.113.0/24", "127.0.0.0/8"] });
    expect((await here.get(paths.payouts)).status).toBe(200);
  });
});

describe("routes", () => {
  const bare = (method: string, path: string) => fetch(platform.baseUrl + path, { method });

  it.each([
    "/consol",
    "/api",
    "/api/v1",
    "/api/v2/transfer/payouts",
    "/api/v1/transfer/payouts/",
    "/api/v1/Transfer/payouts",
    "/api/v1/transfer/payouts/a/b",
    "/api/v1/transfer/beneficiary",
    "/api/v1//transfer/payouts",
    "/disburse.gateway.v1.KeyService/CreateKey",
  ])("ROUTE_NOT_FOUND before any key: %s", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await bare(method, path);
      expectCode({ status: response.status, json: await response.json() }, "ROUTE_NOT_FOUND");
    }
  });

  it.each<[string, string, string[]]>([
    [paths.crypto, "POST", ["GET", "PUT", "DELETE", "PATCH"]],
    [paths.fiat, "POST", ["GET", "PUT", "DELETE", "PATCH"]],
    [paths.depositor, "POST", ["GET", "PUT", "DELETE", "PATCH"]],
    [paths.rfq, "POST", ["GET", "PUT", "DELETE", "PATCH"]],
    [paths.execute, "POST", ["GET", "PUT", "DELETE", "PATCH"]],
    [paths.payouts, "GET", ["POST", "PUT", "DELETE", "PATCH"]],
    [`${paths.payouts}/x`, "GET", ["POST", "PUT", "DELETE", "PATCH"]],
    [`${paths.payouts}/x/events`, "GET", ["POST", "DELETE"]],
    [`${paths.accounts}/x/entries`, "GET", ["POST", "DELETE"]],
    [`${paths.accounts}/x/entries.csv`, "GET", ["POST", "DELETE"]],
    [paths.endpoints, "GET, POST", ["PUT", "DELETE"]],
    [`${paths.endpoints}/x`, "DELETE, GET, PATCH", ["POST", "PUT"]],
    ["/healthz", "GET", ["POST"]],
  ])("METHOD_NOT_ALLOWED before any key: %s allows %s", async (path, allowed, methods) => {
    for (const method of methods) {
      const response = await bare(method, path);
      expectCode({ status: response.status, json: await response.json() }, "METHOD_NOT_ALLOWED");
      const allow = response.headers.get("allow")?.split(", ") ?? [];
      expect(allow).toEqual(expect.arrayContaining(allowed.split(", ")));
      expect(allow).not.toContain(method);
    }
  });
});

describe("bodies", () => {
  const json = { "content-type": "application/json" };
  const padded = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;
  const send = "Send `Content-Type: application/json`.";
  it.each<[string, string | Buffer, Record<string, string>, keyof typeof messages | 400, string?]>([
    ["64 KiB", padded(65_536), json, 400],
    ["64 KiB and a byte", padded(65_537), json, "PAYLOAD_TOO_LARGE"],
    ["200 KB", padded(200_000), json, "PAYLOAD_TOO_LARGE"],
    ["5 MB", padded(5_000_000), json, "PAYLOAD_TOO_LARGE"],
    [
      ...(["no type", Buffer.from("{}"), {}, "UNSUPPORTED_MEDIA_TYPE"] as const),
      `It has no Content-Type. ${send}`,
    ],
    [
      ...(["text/plain", "{}", { "content-type": "text/plain" }] as const),
      ...(["UNSUPPORTED_MEDIA_TYPE", `It is text/plain. ${send}`] as const),
    ],
    [
      "a form",
      "a=1",
      { "content-type": "application/x-www-form-urlencoded" },
      "UNSUPPORTED_MEDIA_TYPE",
      `It is application/x-www-form-urlencoded. ${send}`,
    ],
    [
      "utf-16",
      Buffer.from("{}", "utf16le"),
      { "content-type": "application/json; charset=utf-16" },
      "UNSUPPORTED_MEDIA_TYPE",
      `Its charset is utf-16, not UTF-8. ${send}`,
    ],
    [
      ...(["gzip", "{}", { ...json, "content-encoding": "gzip" }] as const),
      ...(["UNSUPPORTED_MEDIA_TYPE", "It has a Content-Encoding. Send it without."] as const),
    ],
    ["utf-8, said so", "{}", { "content-type": "application/json; charset=UTF-8" }, 400],
  ])("of %s", async (_what, body, headers, expected, hint) => {
    const { secret } = await newKey();
    for (const path of [paths.crypto, paths.rfq, paths.execute]) {
      const response = await fetch(platform.baseUrl + path, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, ...headers },
        body: new Uint8Array(Buffer.from(body)),
      });
      const answer = { status: response.status, json: (await response.json()) as object };
      if (expected === 400) expect(answer).toMatchObject({ json: { code: "INVALID_REQUEST" } });
      else expectCode(answer, expected, hint);
    }
  });
});

it("RATE_LIMITED: a burst, then as many as the rate lets in, each key for itself", async () => {
  const [busy, calm] = [await caller(), await caller()];
  let admitted = 0;
  let answer = await busy.get(paths.quotes.concat("/x"));
  while (answer.status !== 429 && admitted < 2 * burst) {
    expect(answer.headers.get("ratelimit-limit")).toBe(String(burst));
    admitted += 1;
    answer = await busy.get(paths.quotes.concat("/x"));
  }
  expectCode(answer, "RATE_LIMITED");
  expect(admitted).toBeGreaterThanOrEqual(burst);
  expect(answer.headers.get("ratelimit-remaining")).toBe("0");
  expect(answer.headers.get("retry-after")).toBe("1");
  // On a busy machine the rate lets one in meanwhile.
  await vi.waitFor(
    async () => {
      const posted = await busy.post(paths.depositor, depositorBody("individual"));
      expectCode(posted, "RATE_LIMITED");
    },
    { timeout: 10_000, interval: 0 },
  );
  expect((await calm.get(paths.payouts)).status).toBe(200);
  await vi.waitFor(async () => expect((await busy.get(paths.payouts)).status).toBe(200), {
    timeout: 5_000,
    interval: 300,
  });
});
