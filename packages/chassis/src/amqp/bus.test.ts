import { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { type Bus, type BusMessage, storeRetryMs } from "../bus/bus.ts";
import { type Log, silentLog } from "../log.ts";
import { connectAmqpBus } from "./bus.ts";
import { closeTimeoutMs } from "./connection.ts";
import {
  type Answer,
  blocked,
  confirmed,
  connectionForced,
  delivered,
  type Side,
  startTestBroker,
  unblocked,
} from "./test-broker.ts";
import { testKeys } from "./test-keys.ts";

const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

/** Connects a bus to a broker with scripted replies. */
async function open(answer: Answer, confirmTimeoutMs = 500, log: Log = silentLog) {
  const broker = await startTestBroker(answer);
  ends.push(broker.stop);
  const own = { service: "payout", keys: testKeys("payout"), log };
  const options = { url: broker.url, namespace: "test", ...own, confirmTimeoutMs };
  const bus = await connectAmqpBus(options);
  ends.push(bus.stop);
  return { broker, bus };
}

const message = (id: string): BusMessage => ({ id, key: "payout.paid", body: new Uint8Array(9) });

const ready = (bus: Bus) =>
  vi.waitFor(() => expect(bus.ready()).toBe(true), { timeout: 10_000, interval: 10 });

it("cancels a handshake that the broker does not answer", async () => {
  const later = Socket.prototype.setTimeout;
  const waited = vi.spyOn(Socket.prototype, "setTimeout");
  // Runs the socket's timeout 40 times as fast.
  waited.mockImplementation(function now(this: Socket, ms, ended) {
    return later.call(this, ms / 40, ended);
  });
  const { bus, broker } = await open(({ nth }) => (nth <= 2 ? undefined : false));
  await ready(bus);
  expect(broker.connections()).toBeGreaterThanOrEqual(4);
});

it("tries the addresses of a cluster in turn, and moves on from a node that is lost", async () => {
  const [gone, first, second] = await Promise.all([1, 2, 3].map(() => startTestBroker()));
  gone?.stop();
  const url = [gone?.url, first?.url, second?.url].join(",");
  const own = { service: "payout", keys: testKeys("payout"), log: silentLog };
  const bus = await connectAmqpBus({ url, namespace: "test", ...own });
  ends.push(bus.stop, () => second?.stop());
  await ready(bus);
  expect(first?.open()).toBe(2);
  first?.stop();
  await vi.waitFor(() => expect(second?.open()).toBe(2), { timeout: 10_000, interval: 10 });
  await ready(bus);
});

it("reconnects where the broker closes in the same packet as it opens the connection", async () => {
  const { bus, broker } = await open(({ method, nth }, side, usual) =>
    method === "connection.open" && nth <= 2 ? side.send(usual, connectionForced) : false,
  );
  await ready(bus);
  expect(broker.connections()).toBe(4);
});

it("reconnects where the broker closes in the same packet as it declares the exchange", async () => {
  const declared: number[] = [];
  const { bus } = await open(({ method, nth }, side, usual) => {
    if (method !== "exchange.declare") return false;
    declared.push(nth);
    return declared.length === 1 ? side.send(usual, connectionForced) : false;
  });
  await vi.waitFor(() => expect(declared).toHaveLength(2), 10_000);
  await ready(bus);
});

it("verifies no message twice if the broker cancels the consumer at once", async () => {
  let consumed = 0;
  const log = { ...silentLog, error: vi.fn() };
  const { bus } = await open(
    ({ method, channel }, side, usual) => {
      if (method !== "basic.consume") return false;
      consumed += 1;
      return consumed === 1 ? side.send(usual, delivered(channel), connectionForced) : false;
    },
    500,
    log,
  );
  await ready(bus);
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async () => [],
  });
  await vi.waitFor(() => expect(consumed).toBe(2), 10_000);
  await ready(bus);
  await setTimeout(1.5 * storeRetryMs);
  const judged = log.error.mock.calls.filter(
    ([, text]) => text === "message sent to the dead-letter queue: its signature was rejected",
  );
  expect(judged.length).toBeLessThan(2);
});

/**
 * A broker that delays handshakes until `release`, and then resets the connections that the client
 * has closed.
 */
function slow() {
  const waiting: (() => void)[] = [];
  let closed = 0;
  let isGoing = false;
  const answer: Answer = ({ method }, side, usual) => {
    if (method === "connection.open" && !isGoing) return waiting.push(() => side.send(usual));
    if (method !== "connection.close") return false;
    closed += 1;
    return side.socket.resetAndDestroy();
  };
  const goOn = () => {
    isGoing = true;
    for (const say of waiting) say();
  };
  return { answer, isWaiting: () => waiting.length > 0, closed: () => closed, goOn };
}

it("stops a bus as soon as its handshake is over", async () => {
  const { answer, isWaiting, closed, goOn } = slow();
  const { bus, broker } = await open(answer);
  await vi.waitFor(() => expect(isWaiting()).toBe(true), 10_000);
  const stopped = bus.stop();
  goOn();
  await stopped;
  expect(closed()).toBe(broker.connections());
  await vi.waitFor(() => expect(broker.open()).toBe(0), 10_000);
});

it("stops within its time limit while a broker does not answer, and closes late connections", async () => {
  const { answer, isWaiting, closed, goOn } = slow();
  const { bus, broker } = await open(answer);
  await vi.waitFor(() => expect(isWaiting()).toBe(true), 10_000);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopped = bus.stop();
  await vi.advanceTimersByTimeAsync(2 * closeTimeoutMs);
  await stopped;
  expect(closed()).toBe(0);
  goOn();
  await vi.waitFor(
    () => expect([closed(), broker.open()]).toEqual([broker.connections(), 0]),
    10_000,
  );
});

/** A bus whose broker confirms messages only when the test says so. */
async function publisher({ isConfirming = false, confirmTimeoutMs = 500 }) {
  const sides: Side[] = [];
  const channel = 1;
  let count = 0;
  const answer: Answer = ({ method }, side) => {
    if (method === "confirm.select") {
      sides.push(side);
      count = 0;
    }
    if (method !== "basic.publish") return false;
    count += 1;
    return isConfirming ? side.send(confirmed(channel, count)) : undefined;
  };
  const { bus, broker } = await open(answer, confirmTimeoutMs);
  await ready(bus);
  const say = (...frames: Buffer[]) => sides.at(-1)?.send(...frames);
  return { bus, broker, say, confirm: () => say(confirmed(channel, count)) };
}

it("publishes nothing to a blocked broker until it is unblocked", async () => {
  const { bus, broker, say } = await publisher({ isConfirming: true });
  await bus.publish([message("a")]);
  say(blocked);
  await vi.waitFor(() => expect(bus.ready()).toBe(false), 10_000);
  await expect(bus.publish([message("b")])).rejects.toThrow("blocked publishing");
  expect(broker.published()).toBe(1);
  say(unblocked);
  await ready(bus);
  await bus.publish([message("b")]);
  expect(broker.published()).toBe(2);
});

it("publishes nothing more until a slow broker has confirmed what it got", async () => {
  const { bus, broker, confirm } = await publisher({});
  await expect(bus.publish([message("a")])).rejects.toThrow("did not confirm a message in time");
  expect(bus.ready()).toBe(false);
  for (let tries = 0; tries < 20; tries += 1) {
    await expect(bus.publish([message("a")])).rejects.toThrow("has not confirmed");
  }
  confirm();
  await ready(bus);
  expect([broker.published(), broker.connections()]).toEqual([1, 2]);
});

it("replaces the publisher's connection where confirms stop", async () => {
  const { bus, broker } = await publisher({ confirmTimeoutMs: 100 });
  await expect(bus.publish([message("a")])).rejects.toThrow("did not confirm a message in time");
  await ready(bus);
  expect([broker.connections(), broker.open()]).toEqual([3, 2]);
});

it("keeps the connection to a blocked broker, however long", async () => {
  const { bus, broker, say, confirm } = await publisher({});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const late = expect(bus.publish([message("a")])).rejects.toThrow(
    "did not confirm a message in time",
  );
  await vi.waitFor(() => expect(broker.published()).toBe(1), 10_000);
  say(blocked);
  await vi.waitFor(() => expect(bus.ready()).toBe(false), 10_000);
  await vi.advanceTimersByTimeAsync(60_000);
  await late;
  confirm();
  say(unblocked);
  await ready(bus);
  expect(broker.connections()).toBe(2);
});
