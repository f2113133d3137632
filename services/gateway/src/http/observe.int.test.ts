import { Code, ConnectError } from "@connectrpc/connect";
import { type CallContext, callContext } from "@disburse/chassis/call-context.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { testTracing } from "@disburse/chassis/tracing/test-tracing.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let merchant: Awaited<ReturnType<TestGateway["merchant"]>>;
let isReady = true;
const metrics = createMetrics("gateway");

beforeAll(async () => {
  gateway = await startTestGateway({ isReady: async () => isReady, metrics });
  merchant = await gateway.merchant();
  gateway.fakes.payout.getAccount = () => ({ account: { id: "acc_1", available: "1", held: "0" } });
});
afterAll(() => gateway.stop());

const path = "/api/v1/transfer/accounts/acc_secret";

it.each([
  ["req-1.a:b_C", true],
  ["a".repeat(128), true],
  ["a".repeat(129), false],
  ["a b", false],
  ['"><script>', false],
  [undefined, false],
])("the request id %j is kept: %s", async (sent, kept) => {
  const headers = sent === undefined ? {} : { "x-request-id": sent };
  const replies = await Promise.all([
    gateway.ask({ path, key: merchant.key, headers }),
    gateway.ask({ path: "/nowhere", headers }),
    gateway.ask({ path: "/healthz", headers }),
  ]);
  for (const { headers: answered } of replies) {
    expect(answered["x-request-id"] === sent).toBe(kept);
    expect(answered["x-request-id"]).toMatch(/^[\w.:-]{1,128}$/);
  }
});

it("puts the same safe headers on every answer", async () => {
  for (const ask of [{ path, key: merchant.key }, { path }, { path: "/nowhere" }]) {
    const { headers } = await gateway.ask(ask);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(headers["x-powered-by"]).toBeUndefined();
  }
});

it("writes one line about a request, with ids and nothing else", async () => {
  const headers = { "x-request-id": "req-log" };
  await gateway.ask({ path, key: merchant.key, headers });
  await expect.poll(() => lines("req-log")).toHaveLength(1);
  const [line] = lines("req-log");
  expect(line).toMatchObject({ level: "info", event: "request" });
  expect(line?.fields).toEqual({
    request_id: "req-log",
    merchant_id: merchant.merchantId,
    key_id: merchant.keyId,
    route: "GET /api/v1/transfer/accounts/:accountId",
    status: 200,
    duration_ms: expect.any(Number),
  });
  await gateway.ask({ path: `${path}?x=private&private=1`, key: merchant.key });
  await gateway.ask({ path: "/nowhere?x=private" });
  expect(JSON.stringify(gateway.logLines)).not.toMatch(/acc_secret|private|dsb_test_/);
});

function lines(requestId: string) {
  return gateway.logLines.filter(
    ({ fields }) => "request_id" in fields && fields.request_id === requestId,
  );
}

describe("where tracing is on", () => {
  const { tracing, spans, clear } = testTracing(1);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-00`;
  let traced: TestGateway;

  beforeAll(async () => {
    traced = await startTestGateway({ tracing });
  });
  beforeEach(clear);
  afterAll(() => traced.stop());

  it("has a span of a request in its sender's trace, with ids and nothing else", async () => {
    const { key, merchantId } = await traced.merchant();
    let seen: CallContext | undefined;
    traced.fakes.payout.getAccount = () => {
      seen = callContext();
      throw new ConnectError("Ada Lovelace", Code.Internal);
    };
    await traced.ask({ path, key, headers: { "x-request-id": "req-span", traceparent } });
    await expect.poll(spans).toHaveLength(1);
    const [span] = spans();
    const route = "/api/v1/transfer/accounts/:accountId";
    expect(span?.name).toBe(`GET ${route}`);
    expect(span?.spanContext()).toMatchObject({ traceId, traceFlags: 1 });
    expect(span?.attributes).toEqual({
      "disburse.request_id": "req-span",
      "disburse.merchant_id": merchantId,
      "http.request.method": "GET",
      "http.response.status_code": 500,
      "http.route": route,
      "error.type": "500",
    });
    expect(seen?.span).toEqual(span?.spanContext());
  });

  it.each([["00-none"], [[traceparent, traceparent]]])(
    "begins a trace where %j was sent",
    async (sent) => {
      await traced.ask({ path, headers: { traceparent: sent } });
      await expect.poll(spans).toHaveLength(1);
      expect(spans()[0]?.spanContext().traceId).not.toBe(traceId);
    },
  );

  it("records no unknown path in a span, and no span for a page or a probe", async () => {
    await traced.ask({ path: "/healthz" });
    await traced.ask({ path: "/api/Ada-Lovelace?q=1", headers: { "x-request-id": "req-none" } });
    await expect.poll(spans).toHaveLength(1);
    expect(spans()[0]?.name).toBe("HTTP");
    expect(spans()[0]?.attributes).toEqual({
      "disburse.request_id": "req-none",
      "http.request.method": "_OTHER",
      "http.response.status_code": 404,
    });
  });
});

it("does not let a caller wait for a hanging request", async () => {
  const hung = await startTestGateway({ answerWithinMs: 50 });
  const { key } = await hung.merchant();
  hung.fakes.payout.getAccount = () => new Promise(() => undefined);
  const reply = await hung.ask({ path, key });
  expect([reply.status, reply.json.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(reply.headers["retry-after"]).toBe("1");
  await hung.stop();
});

describe("without a key", () => {
  it("reports liveness", async () => {
    const reply = await gateway.ask({ path: "/healthz" });
    expect([reply.status, reply.json]).toEqual([200, { status: "ok" }]);
  });

  it("reports readiness", async () => {
    isReady = true;
    const ready = await gateway.ask({ path: "/readyz" });
    expect([ready.status, ready.json]).toEqual([200, { status: "ready" }]);
    isReady = false;
    const unready = await gateway.ask({ path: "/readyz" });
    expect([unready.status, unready.json]).toEqual([503, { status: "not ready" }]);
  });

  it("shows no metrics to the public", async () => {
    expect((await gateway.ask({ path: "/metrics" })).status).toBe(404);
  });

  it("labels its metrics by route template, never by id", async () => {
    await gateway.ask({ path, key: merchant.key });
    await gateway.ask({ path: "/nowhere/acc_secret" });
    for (const labels of [
      'route="GET /api/v1/transfer/accounts/:accountId",status="200"',
      'route="unmatched",status="404"',
    ]) {
      const counted = `disburse_http_request_duration_seconds_count{service="gateway",${labels}}`;
      await expect.poll(async () => (await metrics.text()).includes(counted)).toBe(true);
    }
    expect(await metrics.text()).not.toContain("acc_secret");
  });
});
