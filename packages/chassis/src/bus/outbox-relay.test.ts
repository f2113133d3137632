import { expect, it, onTestFinished, vi } from "vitest";
import { createLog, silentLog } from "../log.ts";
import type { Bus, BusMessage } from "./bus.ts";
import { createMemoryBus } from "./bus.ts";
import { startRelay } from "./outbox-relay.ts";

const message = (id: string): BusMessage => ({
  id,
  key: "payout.initiated",
  body: new Uint8Array(),
});

/** A relay of an outbox in memory. */
function relayOf(pending: BusMessage[], bus: Bus, log = silentLog) {
  const outbox = {
    // A document may have several pending events, so a read may return one more than requested.
    due: async (limit: number) => pending.slice(0, limit + 1),
    published: async (messages: readonly BusMessage[]) => {
      for (const each of messages) pending.splice(pending.indexOf(each), 1);
    },
  };
  const relay = startRelay({ outbox, bus, log });
  // Otherwise the loop of a failed test would run on during the next tests.
  onTestFinished(() => relay.stop());
  return relay;
}

it("keeps events that the bus rejects, and publishes them later", async () => {
  const bus = createMemoryBus();
  const pending = [message("a")];
  const publish = vi.spyOn(bus, "publish");
  const relay = relayOf(pending, bus);
  await vi.waitFor(() => expect(publish).toHaveBeenCalled(), { timeout: 10_000 });
  expect(pending).toHaveLength(1);
  let isDown = true;
  const stored: string[] = [];
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      if (isDown) throw new Error("store down");
      stored.push(...batch.map(({ id }) => id));
      return batch.map(() => "stored");
    },
  });
  publish.mockClear();
  await vi.waitFor(() => expect(publish).toHaveBeenCalled(), { timeout: 10_000 });
  expect(pending).toHaveLength(1);
  isDown = false;
  await vi.waitFor(() => expect(pending).toHaveLength(0), { timeout: 10_000 });
  expect(stored).toEqual(["a"]);
  await relay.stop();
});

it("publishes the next batch at once while there are more events", async () => {
  const pending = Array.from({ length: 900 }, (_each, at) => message(`m${at}`));
  const bus = createMemoryBus();
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => batch.map(() => "stored"),
  });
  const relay = relayOf(pending, bus);
  await vi.waitFor(() => expect(pending).toHaveLength(0), { timeout: 400 });
  await relay.stop();
});

it("logs each event under the request that caused it", async () => {
  const lines: string[] = [];
  const log = createLog("payout", "debug", { write: (line) => void lines.push(line) });
  const bus = createMemoryBus();
  const received: BusMessage[] = [];
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      received.push(...batch);
      return batch.map(() => "stored");
    },
  });
  const relay = relayOf(
    [{ ...message("a"), origin: { request_id: "r-1" } }, message("b")],
    bus,
    log,
  );
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 10_000 });
  const logged = lines.map((line) => JSON.parse(line));
  expect(logged).toMatchObject([{ event_id: "a", request_id: "r-1" }, { event_id: "b" }]);
  expect(logged[1]).not.toHaveProperty("request_id");
  expect(received.map(({ origin }) => origin?.request_id)).toEqual(["r-1", undefined]);
  await relay.stop();
});
