import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { connect } from "amqplib";
import { afterEach, expect, it, vi } from "vitest";
import type { Bus, BusMessage, Disposition } from "../bus/bus.ts";
import { silentLog } from "../log.ts";
import { type AmqpBusOptions, connectAmqpBus } from "./bus.ts";
import { testKeys } from "./test-keys.ts";

const namespaces: string[] = [];
const buses: Bus[] = [];

async function open(namespace: string, change: Partial<AmqpBusOptions> = {}): Promise<Bus> {
  const own = { service: "payout", keys: testKeys("payout"), log: silentLog };
  const bus = await connectAmqpBus({ url: amqpUrl(), namespace, ...own, ...change });
  buses.push(bus);
  await vi.waitFor(() => expect(bus.ready()).toBe(true), { timeout: 10_000 });
  return bus;
}

function namespace(): string {
  const fresh = freshPrefix("bus").replaceAll(".", "-");
  namespaces.push(fresh);
  return fresh;
}

afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.stop()));
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  for (const name of namespaces.splice(0)) {
    await channel.deleteQueue(`${name}.reader.inbox`);
    await channel.deleteQueue(`${name}.reader.dead`);
    await channel.deleteExchange(`${name}.reader.dead`);
    await channel.deleteExchange(`${name}.payout.events`);
  }
  await connection.close();
});

const message = (id: string, key = "payout.initiated"): BusMessage => ({
  id,
  key,
  body: new TextEncoder().encode(`body of ${id}`),
});

function reader(bus: Bus, handle: (ids: string[]) => Promise<Disposition[]> | Disposition[]) {
  return bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => handle(batch.map(({ id }) => id)),
  });
}

it("delivers each message to a consumer, in batches, with id, key and body", async () => {
  const bus = await open(namespace());
  const seen: BusMessage[] = [];
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      seen.push(...batch);
      return batch.map(() => "stored");
    },
  });
  await bus.publish(Array.from({ length: 500 }, (_each, at) => message(`m${at}`)));
  await vi.waitFor(() => expect(seen).toHaveLength(500), { timeout: 10_000 });
  expect(seen[7]).toMatchObject({ id: "m7", key: "payout.initiated" });
  expect(new TextDecoder().decode(seen[7]?.body)).toBe("body of m7");
});

it("passes on the request and span of an event, and drops malformed ones", async () => {
  const bus = await open(namespace());
  const seen: BusMessage[] = [];
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      seen.push(...batch);
      return batch.map(() => "stored");
    },
  });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await bus.publish([
    { ...message("a"), origin: { request_id: "req-1.a:b_c", traceparent } },
    { ...message("b"), origin: { request_id: "two words", traceparent: "00-none" } },
    message("c"),
  ]);
  await vi.waitFor(() => expect(seen).toHaveLength(3), { timeout: 10_000 });
  const origins = new Map(seen.map(({ id, origin }) => [id, origin]));
  const first = { request_id: "req-1.a:b_c", traceparent };
  expect(Object.fromEntries(origins)).toEqual({ a: first, b: {}, c: {} });
});

it("rejects the publication of a message that no queue takes", async () => {
  const bus = await open(namespace());
  await expect(bus.publish([message("a")])).rejects.toThrow("no queue is bound");
  await reader(bus, (ids) => ids.map(() => "stored"));
  await bus.publish([message("a")]);
  await expect(bus.publish([message("b", "other.key")])).rejects.toThrow("no queue is bound");
});

it("hands the same batch over again until it is stored", async () => {
  const bus = await open(namespace());
  const tries: string[][] = [];
  await reader(bus, (ids) => {
    tries.push(ids);
    if (tries.length === 1) throw new Error("store down");
    return ids.map(() => "stored");
  });
  await bus.publish([message("a")]);
  await vi.waitFor(() => expect(tries).toEqual([["a"], ["a"]]), { timeout: 10_000 });
});

it("redelivers messages that a consumer received and did not store", async () => {
  const name = namespace();
  const first = await open(name);
  let taken = 0;
  await reader(first, () => {
    taken += 1;
    throw new Error("store down");
  });
  await first.publish([message("a")]);
  await vi.waitFor(() => expect(taken).toBeGreaterThan(0), { timeout: 10_000 });
  await first.stop();
  const second = await open(name);
  const stored: string[] = [];
  await reader(second, (ids) => {
    stored.push(...ids);
    return ids.map(() => "stored");
  });
  await vi.waitFor(() => expect(stored).toEqual(["a"]), { timeout: 10_000 });
});

it("acks every message of a handled batch, and none that is not handled yet", async () => {
  const name = namespace();
  const bus = await open(name);
  const blocked = Promise.withResolvers<void>();
  const handled: string[] = [];
  await reader(bus, async (ids) => {
    if (ids.includes("later")) await blocked.promise;
    handled.push(...ids);
    return ids.map((id) => (id.startsWith("broken") ? "dead" : "stored"));
  });
  const first = ["broken1", "fine1", "broken2", "fine2", "broken3"];
  await bus.publish(first.map((id) => message(id)));
  await vi.waitFor(() => expect(handled).toHaveLength(first.length), { timeout: 10_000 });
  await bus.publish([message("later")]);
  // Unacked messages return to the queue when their consumer disconnects.
  const stopped = bus.stop();
  blocked.resolve();
  await stopped;
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const count = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
  await vi.waitFor(async () => expect(await count(`${name}.reader.dead`)).toBe(3), 10_000);
  expect(await count(`${name}.reader.inbox`)).toBe(handled.includes("later") ? 0 : 1);
  await connection.close();
});

it("dead-letters unreadable messages and continues", async () => {
  const name = namespace();
  const bus = await open(name);
  const stored: string[] = [];
  await reader(bus, (ids) => {
    stored.push(...ids.filter((id) => id !== "broken"));
    return ids.map((id) => (id === "broken" ? "dead" : "stored"));
  });
  await bus.publish([message("broken"), message("fine")]);
  await vi.waitFor(() => expect(stored).toEqual(["fine"]), { timeout: 10_000 });
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  let dead: unknown = false;
  for (let tries = 0; dead === false && tries < 100; tries += 1) {
    dead = await channel.get(`${name}.reader.dead`, { noAck: true });
    await pause(50);
  }
  expect(dead).toMatchObject({ properties: { messageId: "broken" } });
  await connection.close();
});

it("is not ready while there is no broker", async () => {
  const url = "amqp://guest:guest@127.0.0.1:1";
  const own = { service: "payout", keys: testKeys("payout"), log: silentLog };
  const bus = await connectAmqpBus({ url, namespace: "none", ...own });
  expect(bus.ready()).toBe(false);
  await expect(bus.publish([message("a")])).rejects.toThrow("not connected");
  await bus.stop();
});

it("reopens channels that the broker closed, the publisher's and the consumer's", async () => {
  const name = namespace();
  const bus = await open(name);
  const stored: string[] = [];
  await reader(bus, (ids) => {
    stored.push(...ids);
    return ids.map(() => "stored");
  });
  const published = (id: string) =>
    vi.waitFor(() => bus.publish([message(id)]), { timeout: 10_000, interval: 100 });
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  await channel.deleteQueue(`${name}.reader.inbox`);
  await published("after the queue went");
  await channel.deleteExchange(`${name}.payout.events`);
  await expect(bus.publish([message("lost")])).rejects.toThrow();
  await published("after the exchange went");
  const wanted = ["after the queue went", "after the exchange went"];
  await vi.waitFor(() => expect([...new Set(stored)]).toEqual(wanted), { timeout: 10_000 });
  await connection.close();
});

it("marks messages persistent", async () => {
  const name = namespace();
  const bus = await open(name);
  await reader(bus, (ids) => ids.map(() => "dead"));
  await bus.publish([message("a")]);
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const dead = await vi.waitFor(
    async () => {
      const got = await channel.get(`${name}.reader.dead`, { noAck: true });
      if (got === false) throw new Error("not there yet");
      return got;
    },
    { timeout: 10_000 },
  );
  expect(dead.properties.deliveryMode).toBe(2);
  await connection.close();
});

/**
 * A proxy to the broker that can hold back replies. It resets the first `resets` connections as
 * soon as the client sends `word`.
 */
async function faultyProxy({ word = "", resets = 0 } = {}) {
  const { hostname, port, username, password } = new URL(amqpUrl());
  const pairs: { client: Socket; broker: Socket }[] = [];
  let left = resets;
  const server = createServer((client) => {
    const broker = dial(Number(port), hostname);
    client.on("data", (chunk: Buffer) => {
      if (left === 0 || !chunk.includes(word)) return;
      left -= 1;
      client.resetAndDestroy();
    });
    client.on("error", () => undefined).pipe(broker);
    broker.on("error", () => undefined).pipe(client);
    pairs.push({ client, broker });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = (server.address() as AddressInfo).port;
  return {
    url: `amqp://${username}:${password}@127.0.0.1:${own}`,
    left: () => left,
    silence: () => {
      for (const { broker, client } of pairs) broker.unpipe(client);
    },
    stop: () => {
      for (const socket of pairs.flatMap(({ broker, client }) => [broker, client])) {
        socket.destroy();
      }
      server.close();
    },
  };
}

it("times out a missing confirm, and may publish again", async () => {
  const proxy = await faultyProxy();
  const bus = await open(namespace(), { url: proxy.url, confirmTimeoutMs: 300 });
  await reader(bus, (ids) => ids.map(() => "stored"));
  await bus.publish([message("a")]);
  proxy.silence();
  await expect(bus.publish([message("b")])).rejects.toThrow("did not confirm a message in time");
  proxy.stop();
});

it("survives resets while exchange and queues are declared", async () => {
  const name = namespace();
  const proxy = await faultyProxy({ word: `${name}.payout.events`, resets: 2 });
  const bus = await open(name, { url: proxy.url });
  expect(proxy.left()).toBe(0);
  await reader(bus, (ids) => ids.map(() => "stored"));
  await bus.publish([message("a")]);
  proxy.stop();
});

it("subscribes on the next connection when one breaks during the subscription", async () => {
  const name = namespace();
  const proxy = await faultyProxy({ word: `${name}.reader.dead`, resets: 2 });
  const bus = await open(name, { url: proxy.url });
  const stored: string[] = [];
  await reader(bus, (ids) => {
    stored.push(...ids);
    return ids.map(() => "stored");
  });
  await vi.waitFor(() => bus.publish([message("a")]), { timeout: 10_000 });
  await vi.waitFor(() => expect(stored).toContain("a"), { timeout: 10_000 });
  expect(proxy.left()).toBe(0);
  proxy.stop();
});
