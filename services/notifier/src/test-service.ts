import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { connectService, type ServiceClient } from "@disburse/chassis/rpc/client.ts";
import type { RunningService } from "@disburse/chassis/service/start.ts";
import {
  DeliveryState,
  NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { startReceiver } from "@disburse/testkit/receiver.ts";
import { type Channel, connect } from "amqplib";
import { expect, vi } from "vitest";
import { start } from "./main.ts";
import { encryptionKeys, register } from "./test-notifier.ts";

/** Runs `work` with a channel to the broker. */
async function withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(amqpUrl());
  try {
    const channel = await connection.createChannel();
    const done = await work(channel);
    // When the channel has closed, the broker has received all published messages.
    await channel.close();
    return done;
  } finally {
    await connection.close();
  }
}

/** Opens a service's bus and waits until it is connected. */
export async function openBus(
  namespace: string,
  service: "payout" | "sandbox" | "notifier",
  url = amqpUrl(),
) {
  const keys = testTrust.eventKeys(service);
  const bus = await connectAmqpBus({ url, namespace, service, keys, log: silentLog });
  await vi.waitFor(() => expect(bus.ready()).toBe(true), { timeout: 10_000 });
  return bus;
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Starts the notifier as it is deployed, with a real broker and a merchant's receiver. */
export async function startTestService() {
  const namespace = freshPrefix("notifier").replaceAll(".", "-");
  const database = freshDatabase("notifier");
  const payout = await openBus(namespace, "payout");
  const sandbox = await openBus(namespace, "sandbox");
  const receiver = await startReceiver();
  const running: { service?: RunningService; client?: ServiceClient<typeof NotifierService> } = {};

  const environment = (port: number, keys: string) => ({
    DISBURSE_MODE: "sandbox",
    PORT: String(port),
    MONGODB_URI: mongodbUri(database),
    DATABASE: database,
    AMQP_URL: amqpUrl(),
    BUS_NAMESPACE: namespace,
    ...testTrust.settings("notifier"),
    ENCRYPTION_KEYS: keys,
    LOG_LEVEL: "silent",
  });
  const startAt = (port: number, keys: string) => start(environment(port, keys));
  const startIt = async (keys = encryptionKeys) => {
    running.service = await startAt(0, keys);
    const options = { identity: testTrust.person("test") };
    running.client = connectService(NotifierService, running.service.url, options);
  };
  const stopIt = async () => {
    running.client?.close();
    await running.service?.stop();
  };
  const rpc = () => {
    if (running.client === undefined) throw new Error("the notifier is not started");
    return running.client.rpc;
  };
  await start.migrate(environment(0, encryptionKeys));
  await startIt();

  return {
    namespace,
    receiver,
    rpc,
    start: startIt,
    stop: stopIt,
    /** Starts another process on a port, with the same data. */
    startAt: (port: number) => startAt(port, encryptionKeys),
    url: () => running.service?.url ?? "",
    connect: () => connectDatabase(mongodbUri(database), database),

    /** Registers an endpoint whose URL is a path of the receiver. */
    hook: (path = "/hook", merchantId = newId("merchant")) =>
      register({ rpc: rpc() }, merchantId, receiver.url + path),

    /**
     * Publishes messages as an outbox does. Retries until the queue is bound and the broker
     * confirms.
     */
    publish: async (messages: readonly BusMessage[]) => {
      const isPayout = ({ key }: BusMessage) => key.startsWith("payout.");
      const others = messages.filter((message) => !isPayout(message));
      const publishAll = async () => {
        await payout.publish(messages.filter(isPayout));
        await sandbox.publish(others);
      };
      await vi.waitFor(publishAll, { timeout: 10_000, interval: 50 });
    },

    /** Accesses the broker directly, as an attacker inside the broker could. */
    withChannel,

    delivered: async (merchantId: string) =>
      (await rpc().listDeliveries({ merchantId, state: DeliveryState.DELIVERED })).deliveries,

    /**
     * Waits until `count` messages are in the dead-letter queue. Returns their ids and leaves the
     * messages there. A message may be delivered more than once.
     */
    deadLetters: (count: number) =>
      withChannel(async (channel) => {
        const ids = new Set<string>();
        const all = Promise.withResolvers<void>();
        await channel.consume(`${namespace}.notifier.dead`, (message) => {
          ids.add(String(message?.properties.messageId));
          if (ids.size >= count) all.resolve();
        });
        await all.promise;
        return [...ids].toSorted();
      }),

    /**
     * Returns the number of messages that remain after the consumer has stopped. Includes messages
     * that were not acknowledged.
     */
    leftInQueue: async () => {
      await stopIt();
      const left = await withChannel((channel) =>
        channel.checkQueue(`${namespace}.notifier.inbox`),
      );
      await startIt();
      return left.messageCount;
    },

    close: async () => {
      await Promise.all([stopIt(), payout.stop(), sandbox.stop(), receiver.close()]);
      await withChannel(async (channel) => {
        await channel.deleteQueue(`${namespace}.notifier.inbox`);
        await channel.deleteQueue(`${namespace}.notifier.dead`);
        await channel.deleteExchange(`${namespace}.notifier.dead`);
        for (const publisher of ["payout", "sandbox", "external", "notifier"]) {
          await channel.deleteExchange(`${namespace}.${publisher}.events`);
        }
      });
      const opened = await connectDatabase(mongodbUri(database), database);
      await opened.db.dropDatabase();
      await opened.close();
    },
  };
}
