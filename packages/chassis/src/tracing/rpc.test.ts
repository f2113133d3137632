import { createClient, createRouterTransport } from "@connectrpc/connect";
import { TraceService } from "@disburse/contracts/disburse/trace/v1/trace_pb.ts";
import { expect, it } from "vitest";
import { readRefusal } from "../rpc/refusal.ts";
import { createSpanMemory, type SpanMemory } from "./memory.ts";
import { createTracer, createTracing } from "./recorded.ts";
import { traceRpc } from "./rpc.ts";

const clientOf = (memory: SpanMemory | undefined) =>
  createClient(
    TraceService,
    createRouterTransport((router) => router.service(TraceService, traceRpc("quote", memory))),
  );

it("answers with the service's spans, their times in microseconds", async () => {
  const memory = createSpanMemory(10);
  const tracing = createTracing(createTracer([memory], "test"), 1);
  const attributes = { "disburse.request_id": "r-1" };
  tracing.startRequest({ kind: "server", name: "work", attributes }, undefined).end();
  const [kept] = memory.find({ requestId: "r-1" });
  const { spans, keptMax } = await clientOf(memory).listSpans({ requestId: "r-1" });
  expect(keptMax).toBe(10);
  const [span] = spans;
  expect(span).toMatchObject({
    service: "quote",
    name: "work",
    traceId: kept?.traceId,
    attributes,
  });
  const { seconds = 0n, nanos = 0 } = span?.startedAt ?? {};
  expect(Number(seconds) * 1_000_000 + nanos / 1_000).toBe(kept?.startedUs);
  expect(span?.durationUs).toBe(BigInt(kept?.durationUs ?? -1));
});

it("says that it keeps none", async () => {
  const answer = await clientOf(undefined).listSpans({ requestId: "r-1" });
  expect(answer).toMatchObject({ spans: [], keptMax: 0 });
});

it.each([
  [{}, "trace_id: either it or request_id is required"],
  [{ traceId: "a".repeat(32), requestId: "r-1" }, "trace_id: either it or request_id is required"],
  [{ traceId: "A".repeat(32) }, "trace_id: must be 32 hexadecimal digits"],
  [{ requestId: "a b" }, "request_id: must be well-formed"],
])("refuses %j", async (request, message) => {
  for (const memory of [undefined, createSpanMemory(10)]) {
    const refusal = await clientOf(memory).listSpans(request).then(undefined, readRefusal);
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", message });
  }
});
