import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { type Channel, type ChannelModel, connect, type GetMessage } from "amqplib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Bus, BusMessage } from "../bus/bus.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { connectAmqpBus } from "./bus.ts";
import { readDeadLetters } from "./dead-letters.ts";
import { rejections } from "./signature.ts";
import { testKeys } from "./test-keys.ts";

/** A broker user with full permissions and without a key. */
let intruder: ChannelModel;
let channel: Channel;
let namespace: string;
const buses: Bus[] = [];

beforeAll(async () => {
  intruder = await connect(amqpUrl());
  channel = await intruder.createChannel();
});
afterAll(() => intruder.close());
beforeEach(() => {
  namespace = freshPrefix("signed").replaceAll(".", "-");
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.stop()));
  for (const queue of ["reader.inbox", "reader.dead", "spy"]) {
    await channel.deleteQueue(`${namespace}.${queue}`);
  }
  for (const exchange of ["payout.events", "quote.events", "reader.dead"]) {
    await channel.deleteExchange(`${namespace}.${exchange}`);
  }
});

type Service = Parameters<typeof testKeys>[0];
async function open(service: Service, change: object = {}): Promise<Bus> {
  const own = { namespace, service, keys: testKeys(service), log: silentLog };
  const bus = await connectAmqpBus({ url: amqpUrl(), ...own, ...change });
  buses.push(bus);
  await vi.waitFor(() => expect(bus.ready()).toBe(true), { timeout: 10_000 });
  return bus;
}

/** A consumer of payout events; reads its messages, and its rejections from the metrics. */
async function reader(change: object = {}) {
  const metrics = createMetrics("quote");
  const bus = await open("quote", { metrics, ...change });
  const taken: BusMessage[] = [];
  await bus.subscribe({
    queue: "reader",
    events: [{ keys: ["payout.*"], publishers: ["payout"] }],
    handle: async (batch) => {
      taken.push(...batch);
      return batch.map(() => "stored");
    },
  });
  const rejected = async () => {
    const text = await metrics.text();
    const counts = rejections.map((reason) => {
      const line = `^disburse_bus_messages_rejected_total\\{reason="${reason}".* (\\d+)$`;
      return [reason, Number(new RegExp(line, "m").exec(text)?.[1])] as const;
    });
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };
  return { taken, rejected, text: () => metrics.text() };
}

const message = (id: string): BusMessage => ({
  ...{ id, key: "payout.succeeded", body: Buffer.from(`body of ${id}`) },
});
const exchange = () => `${namespace}.payout.events`;

async function nextOf(queue: string): Promise<GetMessage> {
  return await vi.waitFor(
    async () => {
      const got = await channel.get(`${namespace}.${queue}`, { noAck: true });
      if (got === false) throw new Error("not there yet");
      return got;
    },
    { timeout: 10_000 },
  );
}

it("accepts events that their publisher signed, and dead-letters everything else", async () => {
  const { taken, rejected } = await reader();
  const payout = await open("payout");
  await channel.assertQueue(`${namespace}.spy`, { durable: true });
  await channel.bindQueue(`${namespace}.spy`, exchange(), "#");
  await payout.publish([message("genuine")]);
  await vi.waitFor(() => expect(taken).toHaveLength(1), { timeout: 10_000 });
  expect(taken[0]).toMatchObject({ id: "genuine", publisher: "payout" });

  const { properties, content, fields } = await nextOf("spy");
  const { headers } = properties;
  const send = (id: string, key: string, body: Buffer, more: object = headers ?? {}) =>
    channel.publish(exchange(), key, body, { persistent: true, messageId: id, headers: more });
  send("unsigned", "payout.succeeded", content, {});
  send("genuine", "payout.succeeded", Buffer.from("another body"));
  send("genuine", "payout.failed", content);
  send("another id", "payout.succeeded", content);
  // The signer can write to the exchange but may not publish this event.
  const quote = await open("quote", { service: "payout" });
  await quote.publish([message("of quote")]);
  await payout.publish([message("last")]);
  await vi.waitFor(() => expect(taken.at(-1)?.id).toBe("last"), { timeout: 10_000 });
  expect(taken.map(({ id }) => id)).toEqual(["genuine", "last"]);
  const dead = await Promise.all([1, 2, 3, 4, 5].map(() => nextOf("reader.dead")));
  expect(dead.map(({ properties: { messageId } }) => messageId).toSorted()).toEqual(
    ["another id", "genuine", "genuine", "of quote", "unsigned"].toSorted(),
  );
  expect(await rejected()).toEqual({ unsigned: 1, forged: 3, not_permitted: 1 });
  // A replayed message is accepted: consumers recognise its id.
  send("genuine", fields.routingKey, content);
  await vi.waitFor(() => expect(taken.at(-1)?.id).toBe("genuine"), { timeout: 10_000 });
});

it("uses the current keys of publisher and consumer", async () => {
  const { taken, rejected } = await reader();
  let own = testKeys("payout");
  const keys = { ...own, serviceKey: () => own.serviceKey() };
  const payout = await open("payout", { keys });
  await payout.publish([message("old key")]);
  own = testKeys("quote");
  await payout.publish([message("no key of payout")]);
  own = testKeys("payout");
  await payout.publish([message("its own again")]);
  await vi.waitFor(() => expect(taken.at(-1)?.id).toBe("its own again"), { timeout: 10_000 });
  expect(taken).toHaveLength(2);
  expect(await rejected()).toEqual({ not_permitted: 1 });
});

it("accepts a republished dead letter once its publisher's key is known", async () => {
  const { trustedKeys } = testKeys("quote");
  let trusted = new Map();
  const keys = { ...testKeys("quote"), trustedKeys: () => trusted };
  const { taken, rejected } = await reader({ keys });
  const payout = await open("payout");
  await payout.publish([message("a"), message("b")]);
  await vi.waitFor(async () => expect(await rejected()).toEqual({ unknown_key: 2 }), 10_000);
  const place = { url: amqpUrl(), namespace, consumer: "reader" };
  const lying = await vi.waitFor(async () => {
    const deadLetters = await readDeadLetters({ ...place, again: false });
    expect(deadLetters).toHaveLength(2);
    return deadLetters;
  }, 10_000);
  expect(lying.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
    ["a", "b"].map((id) => ({ id, exchange: exchange(), key: "payout.succeeded", bytes: 9 })),
  );
  expect(taken).toEqual([]);
  trusted = new Map(trustedKeys());
  expect(await readDeadLetters({ ...place, again: true })).toHaveLength(2);
  await vi.waitFor(() => expect(taken.map(({ id }) => id).toSorted()).toEqual(["a", "b"]), 10_000);
  expect(await readDeadLetters({ ...place, again: true })).toEqual([]);
});

it("shows a zero for each reason before anything is rejected", async () => {
  const { text } = await reader();
  for (const reason of rejections) {
    expect(await text()).toContain(`rejected_total{reason="${reason}",service="quote"} 0`);
  }
});
