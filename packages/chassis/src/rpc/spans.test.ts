import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type CallContext, callContext, withCallContext } from "../call-context.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { parseTraceparent } from "../traceparent.ts";
import { testTracing } from "../tracing/test-tracing.ts";
import { connectService } from "./client.ts";
import { sendIdentity } from "./identity.ts";
import { type RpcServer, startRpcServer } from "./server.ts";
import { traceServed } from "./spans.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const contextOf = (flags: string): CallContext => ({
  requestId: "r-1",
  span: parseTraceparent(`00-${traceId}-${spanId}-${flags}`),
});

const identity = testTrust.service("gateway");
const rpc = "disburse.quote.v1.QuoteService/GetQuote";
// No root is recorded: a recorded span follows its caller.
const serving = testTracing(0);
let server: RpcServer;
let seen: CallContext | undefined;
let fails: Code | undefined;

beforeAll(async () => {
  server = await startRpcServer({
    ...{
      verify: testTrust.verify("quote"),
      log: silentLog,
      metrics: createMetrics("test"),
      tracing: serving.tracing,
    },
    ...{ host: "127.0.0.1", port: 0, services: [QuoteService], ready: async () => true },
    routes: (router) =>
      router.service(QuoteService, {
        getQuote: () => {
          seen = callContext();
          if (fails !== undefined) throw new ConnectError("Ada Lovelace", fails);
          return {};
        },
      }),
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  [seen, fails] = [undefined, undefined];
  serving.clear();
});

/** Calls over our own client, which records a span, or over connect's, which does not. */
async function call(over: "lean" | "stock", context: CallContext) {
  const calling = testTracing(0);
  const { tracing } = calling;
  const lean = connectService(QuoteService, server.url, { identity, tracing });
  const options = { baseUrl: server.url, httpVersion: "2", useBinaryFormat: true } as const;
  const interceptors = [sendIdentity(identity, "quote")];
  const stock = createConnectTransport({ ...options, interceptors });
  const client = over === "lean" ? lean.rpc : createClient(QuoteService, stock);
  await withCallContext(context, () => client.getQuote({ quoteId: "q" })).catch(() => undefined);
  lean.close();
  return calling.spans();
}

it("has a span on both sides of a call of a recorded trace", async () => {
  const [calling, ...more] = await call("lean", contextOf("01"));
  const [serviced] = serving.spans();
  expect(more).toEqual([]);
  expect(calling).toMatchObject({ name: rpc, kind: SpanKind.CLIENT });
  expect(calling?.parentSpanContext).toMatchObject({ traceId, spanId });
  expect(serviced).toMatchObject({ name: rpc, kind: SpanKind.SERVER });
  expect(serviced?.parentSpanContext?.spanId).toBe(calling?.spanContext().spanId);
  expect(serviced?.attributes).toEqual({
    ...{ "rpc.system.name": "connectrpc", "rpc.method": rpc, "rpc.status_code": "ok" },
  });
  expect(seen).toMatchObject({ requestId: "r-1", span: serviced?.spanContext() });
});

it("continues the trace of another client's call, over HTTP/2", async () => {
  await call("stock", contextOf("01"));
  const [serviced] = serving.spans();
  expect(serviced?.parentSpanContext).toMatchObject({ traceId, spanId });
  expect(seen?.span).toEqual(serviced?.spanContext());
});

it.each(["lean", "stock"] as const)("passes on an unrecorded trace, over %s", async (over) => {
  expect(await call(over, contextOf("00"))).toEqual([]);
  expect(serving.spans()).toEqual([]);
  expect(seen?.span).toMatchObject({ traceId, spanId, traceFlags: 0 });
});

it("begins a trace with a call that has none", async () => {
  expect(await call("lean", { requestId: "r-1" })).toEqual([]);
  expect(seen?.span).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  const recording = testTracing(1);
  const serve = traceServed(recording.tracing, (_call, work) => work());
  const served = { method: QuoteService.method.getQuote, header: () => undefined };
  await serve({ requestId: "r-1" }, served, async () => undefined);
  expect(recording.spans()[0]?.attributes).toMatchObject({ "disburse.request_id": "r-1" });
});

it.each([
  [Code.Internal, SpanStatusCode.ERROR],
  [Code.NotFound, SpanStatusCode.UNSET],
])("ends with the code %d; a refusal is no fault of the server", async (code, status) => {
  fails = code;
  const [calling] = await call("lean", contextOf("01"));
  const [serviced] = serving.spans();
  const word = Code[code].toLowerCase();
  expect(calling?.status.code).toBe(SpanStatusCode.ERROR);
  expect(serviced?.status.code).toBe(status);
  for (const span of [calling, serviced]) {
    expect(span?.attributes["rpc.status_code"]).toBe(word);
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain("Ada");
  }
});

it("has no span of a probe", async () => {
  const { tracing } = testTracing(1);
  const health = connectService(Health, server.url, { identity, tracing });
  await withCallContext(contextOf("01"), () => health.rpc.check({ service: "" }));
  health.close();
  expect(serving.spans()).toEqual([]);
});
