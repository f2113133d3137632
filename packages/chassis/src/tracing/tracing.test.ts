import { SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { callContext, currentOrigin } from "../call-context.ts";
import { formatTraceparent, parseTraceparent } from "../traceparent.ts";
import { testTracing } from "./test-tracing.ts";
import { resume, type SpanStart } from "./tracing.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const recorded = `00-${traceId}-${spanId}-01`;
const unrecorded = `00-${traceId}-${spanId}-00`;
const start: SpanStart = { kind: "server", name: "POST /x", attributes: { "http.route": "/x" } };

describe("a request from outside", () => {
  it.each([[recorded], [unrecorded]])("continues %s and is recorded by our share", (sent) => {
    const all = testTracing(1);
    const span = all.tracing.startRequest(start, sent);
    span.end({ attributes: { "http.response.status_code": 200 } });
    expect(span.context).toMatchObject({ traceId, traceFlags: 1 });
    expect(span.context.spanId).not.toBe(spanId);
    const [made] = all.spans();
    expect(made?.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true });
    expect(made?.attributes).toEqual({ "http.route": "/x", "http.response.status_code": 200 });

    const none = testTracing(0);
    const skipped = none.tracing.startRequest(start, sent);
    skipped.end();
    expect(formatTraceparent(skipped.context)).toBe(unrecorded);
    expect(none.spans()).toEqual([]);
  });

  it("is recorded by a draw of its own, not by a trace id that its sender chose", () => {
    const draws = [0.09, 0.1, 0.05];
    const { tracing, spans } = testTracing(0.1, () => draws.shift() ?? 1);
    const flags = [1, 2, 3].map(() => tracing.startRequest(start, recorded).context.traceFlags);
    expect(flags).toEqual([1, 0, 1]);
    expect(spans()).toEqual([]);
  });

  it.each([[undefined], ["00-none"], [`${recorded}, ${recorded}`]])(
    "begins a trace where %j was sent",
    (sent) => {
      for (const share of [0, 1]) {
        const { context } = testTracing(share).tracing.startRequest(start, sent);
        expect(context.traceId).toMatch(/^[0-9a-f]{32}$/);
        expect(context.traceId).not.toBe(traceId);
        expect(context).toMatchObject({ traceFlags: share });
      }
    },
  );
});

it("records a span beneath another one as that one is, whatever the share", () => {
  const { tracing, spans } = testTracing(0);
  tracing.startSpan(start, parseTraceparent(recorded)).end({ error: "internal" });
  const skipped = tracing.startSpan(start, parseTraceparent(unrecorded));
  skipped.end({ error: "internal" });
  expect(skipped.context).toMatchObject({ traceId, spanId, traceFlags: 0 });
  expect(spans()).toHaveLength(1);
  expect(spans()[0]?.spanContext().traceId).toBe(traceId);
  expect(spans()[0]?.status.code).toBe(SpanStatusCode.ERROR);
  expect(spans()[0]?.attributes["error.type"]).toBe("internal");
});

describe("stored work", () => {
  const at = (agoMs: number) => ({ name: "work", since: new Date(Date.now() - agoMs) });
  const seen = async () => ({ context: callContext(), origin: currentOrigin() });

  it("is beneath the span that stored it if it begins soon", async () => {
    const { tracing, spans } = testTracing(0);
    const origin = { request_id: "r-1", traceparent: recorded };
    const { context, origin: next } = await resume(tracing, origin, at(59_000), seen);
    const [made] = spans();
    expect(made?.parentSpanContext).toMatchObject({ traceId, spanId });
    expect(made?.links).toEqual([]);
    expect(context).toMatchObject({ requestId: "r-1", span: made?.spanContext() });
    expect(next.traceparent).toBe(formatTraceparent(made!.spanContext()));
  });

  it("is a new trace with a link if it begins later", async () => {
    const { tracing, spans } = testTracing(0);
    const origin = { request_id: "r-1", traceparent: recorded };
    const { context } = await resume(tracing, origin, at(61_000), seen);
    const [made] = spans();
    expect(made?.parentSpanContext).toBeUndefined();
    expect(made?.spanContext().traceId).not.toBe(traceId);
    expect(made?.links).toMatchObject([{ context: { traceId, spanId } }]);
    expect(context?.span?.traceId).toBe(made?.spanContext().traceId);
  });

  it("keeps its place in a trace that is not recorded", async () => {
    const { tracing, spans } = testTracing(1);
    const origin = { request_id: "r-1", traceparent: unrecorded };
    expect((await resume(tracing, origin, at(61_000), seen)).origin).toEqual(origin);
    expect(spans()).toEqual([]);
  });

  it("without a trace has only its request", async () => {
    const { tracing, spans } = testTracing(1);
    const origin = { request_id: "r-1" };
    expect((await resume(tracing, origin, at(0), seen)).origin).toEqual(origin);
    expect((await resume(undefined, origin, at(0), seen)).origin).toEqual(origin);
    expect((await resume(tracing, {}, at(0), seen)).context).toBeUndefined();
    expect(spans()).toEqual([]);
  });

  it("fails its span if it fails, without the message", async () => {
    const { tracing, spans } = testTracing(1);
    const failing = () => Promise.reject(new TypeError("Ada Lovelace"));
    const origin = { request_id: "r-1", traceparent: recorded };
    await expect(resume(tracing, origin, at(0), failing)).rejects.toThrow("Ada");
    expect(spans()[0]?.attributes).toEqual({ "error.type": "TypeError" });
    expect(spans()[0]?.events).toEqual([]);
  });
});
