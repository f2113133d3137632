import { expect, it } from "vitest";
import { createSpanMemory } from "./memory.ts";
import { createTracer, createTracing } from "./recorded.ts";
import type { SpanStart } from "./tracing.ts";

const start = (name: string, requestId?: string): SpanStart => ({
  ...{ kind: "server", name },
  attributes: { "disburse.count": 1, ...(requestId && { "disburse.request_id": requestId }) },
});

function testMemory(keptMax: number) {
  const memory = createSpanMemory(keptMax);
  return { memory, tracing: createTracing(createTracer([memory], "test"), 1) };
}

it("finds a trace by its id, and by the request that began it, in the order of time", () => {
  const { memory, tracing } = testMemory(10);
  const root = tracing.startRequest(start("root", "r-1"), undefined);
  const child = tracing.startSpan(start("child"), root.context);
  const other = tracing.startRequest(start("other", "r-2"), undefined);
  child.end({ error: "unavailable" });
  other.end();
  root.end({ name: "GET /api/v1/keys" });
  const { traceId, spanId } = root.context;
  const spans = memory.find({ requestId: "r-1" });
  expect(spans).toEqual([
    {
      ...{ traceId, spanId, parentSpanId: "", name: "GET /api/v1/keys", kind: "server" },
      ...{ startedUs: expect.any(Number), place: 0, durationUs: expect.any(Number), error: "" },
      attributes: { "disburse.count": "1", "disburse.request_id": "r-1" },
    },
    expect.objectContaining({ name: "child", parentSpanId: spanId, error: "unavailable" }),
  ]);
  const [first] = spans;
  expect(Math.abs((first?.startedUs ?? 0) / 1_000 - Date.now())).toBeLessThan(60_000);
  expect(memory.find({ traceId })).toEqual(spans);
  expect(memory.find({ requestId: "r-3" })).toEqual([]);
});

it("keeps only the last spans", () => {
  const { memory, tracing } = testMemory(3);
  const root = tracing.startRequest(start("root"), undefined);
  for (const name of ["a", "b", "c", "d"]) tracing.startSpan(start(name), root.context).end();
  const { traceId } = root.context;
  expect(memory.find({ traceId }).map(({ name }) => name)).toEqual(["b", "c", "d"]);
  root.end();
  expect(memory.find({ traceId }).map(({ name }) => name)).toEqual(["root", "c", "d"]);
});

it("answers with the first thousand", () => {
  const { memory, tracing } = testMemory(1_500);
  const root = tracing.startRequest(start("root"), undefined);
  root.end();
  for (let count = 0; count < 1_200; count += 1) {
    tracing.startSpan(start("child"), root.context).end();
  }
  const spans = memory.find({ traceId: root.context.traceId });
  expect([spans.length, spans[0]?.name]).toEqual([1_000, "root"]);
});

it("keeps no unrecorded spans", () => {
  const memory = createSpanMemory(10);
  const tracing = createTracing(createTracer([memory], "test"), 0);
  const root = tracing.startRequest(start("root", "r-1"), undefined);
  root.end();
  expect(memory.find({ traceId: root.context.traceId })).toEqual([]);
});
