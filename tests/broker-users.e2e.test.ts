import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { Bus, EventType } from "@disburse/chassis/bus/bus.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { type Broker, type BrokerOptions, startBroker } from "@disburse/embedded/broker.ts";
import {
  brokerDefinitions,
  brokerUrlOf,
  generateBrokerPasswords,
} from "@disburse/sandbox/broker/users.ts";
import type { ServiceName } from "@disburse/sandbox/service-names.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { type ConfirmChannel, connect } from "amqplib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

/* Upgrades a folder whose broker had the user `guest` to users of services. */

const folder = mkdtempSync(join(tmpdir(), "disburse-broker-users-"));
const passwords = generateBrokerPasswords();
const ends: (() => Promise<unknown>)[] = [];
let broker: Broker;

async function start(definitions: NonNullable<BrokerOptions["definitions"]>): Promise<Broker> {
  const { AMQP_URL: _url, DISBURSE_BROKER: _kind, ...env } = process.env;
  const onExit = (how: string) => process.stderr.write(`the broker has ended: ${how}\n`);
  const started = await startBroker({ dataDir: folder, definitions, env, onExit });
  if (started === undefined) throw new Error("this test needs rabbitmq-server");
  return started;
}

/** Works as a user on a new channel. Returns "done" or the broker's reply code. */
async function codeOf(url: string, work: (channel: ConfirmChannel) => Promise<unknown>) {
  const connection = await connect(url);
  const channel = await connection.createConfirmChannel();
  const failed = new Promise((resolve) =>
    channel.on("error", (error: { code?: number }) => resolve(error.code)),
  );
  const worked = work(channel).then(
    () => "done",
    () => failed,
  );
  const code = await Promise.race([worked, failed]);
  await connection.close();
  return code;
}

const guest = {
  users: [{ name: "guest", password: "guest", tags: "administrator" }],
  permissions: [{ user: "guest", vhost: "/", configure: ".*", write: ".*", read: ".*" }],
};
const quorum = { durable: true, arguments: { "x-queue-type": "quorum" } };

beforeAll(async () => {
  const before = await start({ vhosts: [], exchanges: [], ...guest });
  const { port } = new URL(before.url);
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  expect(await codeOf(url, (channel) => channel.assertQueue("spy", quorum))).toBe("done");
  await before.stop();
  broker = await start(brokerDefinitions(passwords));
}, 60_000);
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await broker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (service: ServiceName) => brokerUrlOf(broker.url, service, passwords);

async function busOf(service: ServiceName): Promise<Bus> {
  const keys = testTrust.eventKeys(service);
  const own = { url: urlOf(service), namespace: "disburse", service, keys, log: silentLog };
  const bus = await connectAmqpBus(own);
  ends.push(bus.stop);
  return bus;
}

/** Returns the ids of the events that a service receives. */
async function reads(service: ServiceName, event: EventType): Promise<readonly string[]> {
  const ids: string[] = [];
  const bus = await busOf(service);
  await bus.subscribe({
    ...{ queue: service, events: [event] },
    handle: async (batch) => {
      ids.push(...batch.map(({ id }) => id));
      return batch.map(() => "stored");
    },
  });
  return ids;
}

it.each<[ServiceName, ServiceName, EventType]>([
  ["payout", "notifier", { keys: ["payout.*"], publishers: ["payout", "external"] }],
  ["compliance", "beneficiary", { keys: ["screening.*"], publishers: ["compliance"] }],
])("lets %s publish, and %s consume, each by its own user", async (from, to, event) => {
  const publisher = await busOf(from);
  const ids = await reads(to, event);
  const key = event.keys[0]?.replace("*", "changed") ?? "";
  const message = { id: `of ${from}`, key, body: new Uint8Array(3) };
  await vi.waitFor(() => publisher.publish([message]), { timeout: 10_000, interval: 50 });
  await vi.waitFor(() => expect(ids).toContain(message.id), { timeout: 10_000 });
});

const forged = Buffer.from("forged");
const publish = (exchange: string, key: string) => async (channel: ConfirmChannel) => {
  channel.publish(exchange, key, forged);
  await channel.waitForConfirms();
};

describe("the notifier's user may not", () => {
  it.each<[string, (channel: ConfirmChannel) => Promise<unknown>]>([
    ["publish as payout", publish("disburse.payout.events", "payout.succeeded")],
    ["publish as compliance", publish("disburse.compliance.events", "screening.changed")],
    ["publish to an exchange of the broker's own", publish("amq.topic", "payout.succeeded")],
    ["put a message into its own queue", publish("", "disburse.notifier.inbox")],
    ["put a message into another's queue", publish("", "disburse.beneficiary.inbox")],
    ["read what beneficiary gets", (channel) => channel.get("disburse.beneficiary.inbox")],
    ["empty it", (channel) => channel.purgeQueue("disburse.beneficiary.inbox")],
    [
      "be bound to compliance's exchange",
      (channel) => channel.bindQueue("disburse.notifier.inbox", "disburse.compliance.events", "#"),
    ],
    ["take an exchange away", (channel) => channel.deleteExchange("disburse.payout.events")],
    ["make a queue of another name", (channel) => channel.assertQueue("spy", quorum)],
  ])("%s", async (_what, work) => {
    expect(await codeOf(urlOf("notifier"), work)).toBe(403);
  });
});

it("lets in neither guest nor a service by another's password", async () => {
  const { port } = new URL(broker.url);
  const swapped = brokerUrlOf(broker.url, "payout", { payout: passwords.notifier ?? "" });
  for (const url of [`amqp://guest:guest@127.0.0.1:${port}`, swapped]) {
    await expect(connect(url)).rejects.toThrow(/ACCESS.REFUSED|403/);
  }
});
