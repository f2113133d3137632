import { expect, it } from "vitest";
import { type BusMessage, createMemoryBus, type Disposition } from "../bus/bus.ts";
import { parseTraceparent } from "../traceparent.ts";
import { testTracing } from "../tracing/test-tracing.ts";
import { traceBus } from "./spans.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = (flags: string) => `00-${traceId}-b7ad6b7169203331-${flags}`;
const message = (id: string, flags?: string): BusMessage => ({
  ...{ id, key: "payout.initiated", body: new Uint8Array() },
  origin: { request_id: "r-1", ...(flags && { traceparent: traceparent(flags) }) },
});

async function tracedBus(handled: () => readonly Disposition[]) {
  const { tracing, spans } = testTracing(1);
  const bus = traceBus(createMemoryBus(), tracing, { namespace: "test", service: "payout" });
  const received: BusMessage[] = [];
  await bus.subscribe({
    ...{ queue: "notifier", events: [{ keys: ["payout.*"], publishers: ["payout"] }] },
    handle: async (batch) => {
      received.push(...batch);
      return handled();
    },
  });
  return { bus, spans, received };
}

it("has a span of publishing and one of processing for each message of a recorded trace", async () => {
  const { bus, spans, received } = await tracedBus(() => ["stored", "stored", "dead"]);
  await bus.publish([message("a"), message("b", "00"), message("c", "01")]);
  const [processing, publishing] = spans();
  expect(spans().map(({ name }) => name)).toEqual(["process notifier", "publish payout.initiated"]);
  expect(publishing?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
  expect(processing?.parentSpanContext?.spanId).toBe(publishing?.spanContext().spanId);
  expect(processing?.attributes).toMatchObject({
    "messaging.destination.name": "test.payout.events:payout.initiated:test.notifier.inbox",
    "messaging.message.id": "c",
    "error.type": "dead_lettered",
  });
  expect(received.map(({ origin }) => origin?.request_id)).toEqual(["r-1", "r-1", "r-1"]);
  const [none, unrecorded, recorded] = received.map(({ origin }) => origin?.traceparent);
  expect([none, unrecorded]).toEqual([undefined, traceparent("00")]);
  expect(parseTraceparent(recorded)?.spanId).toBe(processing?.spanContext().spanId);
});

it("fails the spans of a batch that was not stored", async () => {
  const { bus, spans } = await tracedBus(() => {
    throw new RangeError("full");
  });
  await expect(bus.publish([message("a", "01")])).rejects.toThrow("full");
  expect(spans().map(({ attributes }) => attributes["error.type"])).toEqual([
    "RangeError",
    "RangeError",
  ]);
});
