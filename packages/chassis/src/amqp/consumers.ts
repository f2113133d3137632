import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import { type BusMessage, batchMax, type Subscription } from "../bus/bus.ts";
import type { Log } from "../log.ts";
import { isRequestId, requestIdHeader } from "../rpc/identity.ts";
import { startBatches } from "./batches.ts";
import {
  type AmqpOptions,
  closeConnection,
  closeTimeoutMs,
  exchangeOf,
  guardChannel,
  maintainConnection,
  timeout,
} from "./connection.ts";

/** Unacked messages a consumer holds: two batches, so that one gathers while one is stored. */
const prefetch = 2 * batchMax;
/**
 * A consumer that dies takes its unacked messages' delivery count up by one. Far above any number
 * of crashes, so that only a message that cannot be parsed is dead-lettered, and that explicitly.
 */
const deliveryLimit = 1_000;

type Consumer = { stop(): Promise<void> };

export type Consumers = {
  /** Consumes from now on where there is a connection, else with the next one. */
  subscribe(subscription: Subscription): Promise<void>;
  /** Declares everything anew, for some of it may be gone. */
  renew(): void;
  ready(): boolean;
  stop(): Promise<void>;
};

/** Consumes what is subscribed to, on a connection of its own, whenever there is one. */
export function createConsumers({ url, namespace, log }: AmqpOptions): Consumers {
  const subscriptions: Subscription[] = [];
  const consumers = new Set<Consumer>();
  let current: ChannelModel | undefined;
  let stopping = false;

  const consume = async (connection: ChannelModel, subscription: Subscription) => {
    const channel = await connection.createChannel();
    guardChannel(connection, channel, log, () => stopping);
    await declareQueue(channel, namespace, subscription);
    await channel.prefetch(prefetch);
    consumers.add(await startConsumer(channel, namespace, subscription, log));
  };

  const connection = maintainConnection({
    url,
    purpose: "consuming",
    log,
    setup: async (made) => {
      for (const subscription of subscriptions) await consume(made, subscription);
      current = made;
    },
    lost: () => {
      current = undefined;
      consumers.clear();
    },
  });

  return {
    subscribe: async (subscription) => {
      subscriptions.push(subscription);
      const now = current;
      if (now === undefined) return;
      await consume(now, subscription).catch(async (error: unknown) => {
        log.warn({ err: error }, "not subscribed yet: the next connection does it");
        await closeConnection(now);
      });
    },
    renew: () => {
      if (current !== undefined) void closeConnection(current);
    },
    ready: () => current !== undefined,
    stop: async () => {
      stopping = true;
      await Promise.all([...consumers].map((consumer) => consumer.stop()));
      await connection.stop();
    },
  };
}

/** The consumer's quorum queue, and where its dead letters go, at least once. */
async function declareQueue(channel: Channel, namespace: string, subscription: Subscription) {
  const exchange = exchangeOf(namespace);
  const queue = `${namespace}.${subscription.queue}`;
  const dead = `${queue}.dead`;
  await channel.assertExchange(exchange, "topic", { durable: true });
  await channel.assertQueue(dead, { durable: true, arguments: { "x-queue-type": "quorum" } });
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      "x-queue-type": "quorum",
      "x-delivery-limit": deliveryLimit,
      "x-dead-letter-exchange": "",
      "x-dead-letter-routing-key": dead,
      "x-dead-letter-strategy": "at-least-once",
      "x-overflow": "reject-publish",
    },
  });
  for (const key of subscription.keys) await channel.bindQueue(queue, exchange, key);
}

async function startConsumer(
  channel: Channel,
  namespace: string,
  subscription: Subscription,
  log: Log,
): Promise<Consumer> {
  const batches = startBatches<ConsumeMessage>({
    handle: async (messages) => {
      const said = await subscription.handle(messages.map(toBusMessage));
      for (const [at, message] of messages.entries()) {
        if (said[at] === "dead") channel.nack(message, false, false);
      }
      // All that came before has been answered for: one answer is enough for the others.
      const last = messages.findLast((_message, at) => said[at] === "stored");
      if (last !== undefined) channel.ack(last, true);
    },
    log,
  });
  // What this channel brought can be acked on no other: the broker brings it again.
  channel.once("close", () => void batches.stop());
  const { consumerTag } = await channel.consume(`${namespace}.${subscription.queue}`, (message) => {
    // The broker took the consumer away (its queue went or moved): the channel is of no use.
    if (message === null) void channel.close().catch(() => undefined);
    else batches.add(message);
  });
  return {
    stop: async () => {
      await Promise.race([
        channel.cancel(consumerTag).catch(() => undefined),
        timeout(closeTimeoutMs),
      ]);
      await batches.stop();
      await Promise.race([channel.close().catch(() => undefined), timeout(closeTimeoutMs)]);
    },
  };
}

function toBusMessage(message: ConsumeMessage): BusMessage {
  const requestId: unknown = message.properties.headers?.[requestIdHeader];
  return {
    id: String(message.properties.messageId ?? ""),
    key: message.fields.routingKey,
    body: message.content,
    ...(isRequestId(requestId) ? { requestId } : {}),
  };
}
