import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";
import { referenceIn, routes } from "./all.ts";

let live: TestGateway;
let sandbox: TestGateway;
beforeAll(async () => {
  [live, sandbox] = await Promise.all([startTestGateway({ mode: "live" }), startTestGateway()]);
});
afterAll(() => Promise.all([live.stop(), sandbox.stop()]));

const controls = routes
  .filter(({ path, tag }) => path.startsWith("/api/v1/sandbox/") || tag === "Sandbox")
  .map(({ method, path }): [string, string] => [method, path.replaceAll(/:\w+/g, "id_1")]);

describe.each(controls)("%s %s", (method, path) => {
  it("is an unknown route in live mode, with and without a key", async () => {
    const { key } = await live.merchant();
    for (const sentKey of [key, undefined]) {
      const { status, json } = await live.ask({ method, path, key: sentKey });
      expect([status, json.code]).toEqual([404, "ROUTE_NOT_FOUND"]);
    }
  });

  it("exists only in a sandbox, and only for merchants", async () => {
    const { status, json } = await sandbox.ask({ method, path });
    expect([status, json.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});

it("the reference of a live deployment has no control", () => {
  const named = (mode: "live" | "sandbox") =>
    JSON.stringify(referenceIn(mode)).includes("/api/v1/sandbox/");
  expect([named("live"), named("sandbox")]).toEqual([false, true]);
});

describe("Disburse-Sandbox-Error", () => {
  const execute = "/api/v1/transfer/execute";
  const askFor = (code: string, key: string) => ({
    ...{ method: "POST", path: execute, key, body: '{"quote_id":"qt_1"}' },
    headers: { "disburse-sandbox-error": code, "idempotency-key": "order-1" },
  });
  const executing = (gateway: TestGateway) => {
    const executed: object[] = [];
    gateway.fakes.payout.executePayout = (request: object) => {
      executed.push(request);
      return { payoutId: "po_1" };
    };
    return executed;
  };

  it.each([
    ["INTERNAL_ERROR", 500, undefined],
    ["SERVICE_UNAVAILABLE", 503, "1"],
    ["RATE_LIMITED", 429, "1"],
    ["IDEMPOTENCY_IN_PROGRESS", 409, "1"],
    ["LIMIT_EXCEEDED", 403, undefined],
  ])("makes the sandbox return %s before it does anything", async (code, status, retryAfter) => {
    const executed = executing(sandbox);
    const { key } = await sandbox.merchant();
    const asked = askFor(code, key);
    const { json, headers, ...answer } = await sandbox.ask(asked);
    expect([answer.status, json.code]).toEqual([status, code]);
    expect(json.message).toMatch(/\S/);
    expect(headers["retry-after"]).toBe(retryAfter);
    expect(executed).toEqual([]);
    // The idempotency key is as unused as before.
    const { "idempotency-key": idempotency } = asked.headers;
    const usual = { ...asked, headers: { "idempotency-key": idempotency } };
    expect(await sandbox.ask(usual)).toMatchObject({ status: 200 });
    expect(executed).toHaveLength(1);
  });

  it("needs a valid key, and a code of the operation", async () => {
    const { key } = await sandbox.merchant();
    const unauthenticated = await sandbox.ask({ ...askFor("INTERNAL_ERROR", key), key: undefined });
    expect([unauthenticated.status, unauthenticated.json.code]).toEqual([401, "UNAUTHENTICATED"]);
    for (const code of ["LIMIT_EXCEEDED", "OUT_OF_MONEY"]) {
      const asked = { ...askFor(code, key), method: "GET", path: "/api/v1/transfer/accounts" };
      const { status, json } = await sandbox.ask({ ...asked, body: "" });
      expect([status, json]).toMatchObject([
        400,
        { code: "INVALID_REQUEST", violations: [{ field: "Disburse-Sandbox-Error" }] },
      ]);
    }
  });

  it("does nothing in live mode, and the reference there does not name it", async () => {
    live.fakes.payout.listAccounts = () => ({ accounts: [], totalCount: 0n });
    const { key } = await live.merchant();
    for (const code of ["INTERNAL_ERROR", "OUT_OF_MONEY"]) {
      const headers = { "disburse-sandbox-error": code };
      const answer = await live.ask({ path: "/api/v1/transfer/accounts", key, headers });
      expect([answer.status, answer.json.code]).toEqual([200, undefined]);
    }
    const named = (mode: "live" | "sandbox") =>
      JSON.stringify(referenceIn(mode)).includes("Disburse-Sandbox-Error");
    expect([named("live"), named("sandbox")]).toEqual([false, true]);
  });
});
