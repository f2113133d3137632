import { setTimeout as pause } from "node:timers/promises";
import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import { type BusMessage, batchMax, type Subscription, storeRetryMs } from "../bus/bus.ts";
import type { Log } from "../log.ts";
import { createGatherer, type Gathered } from "../mongo/grouping/gatherer.ts";
import { withTimeout } from "../timeout.ts";
import {
  type AmqpOptions,
  closeConnection,
  closeTimeoutMs,
  doNothing,
  exchangeOf,
  guardChannel,
  maintainConnection,
} from "./connection.ts";
import { originFromHeaders } from "./origin.ts";

/** Unacked messages of a consumer: two batches, so that one gathers while the other is stored. */
const prefetch = 2 * batchMax;
/** Above any number of crashes, so that only unreadable messages are dead-lettered. */
const deliveryLimit = 1_000;

/** Consumes on a connection of its own. */
export function createConsumers({ url, after, namespace, log }: AmqpOptions) {
  const subscriptions: Subscription[] = [];
  const consumers = new Set<Awaited<ReturnType<typeof startConsumer>>>();
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
    after,
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
    /** Subscribes now where there is a connection, else with the next one. */
    subscribe: async (subscription: Subscription) => {
      subscriptions.push(subscription);
      const now = current;
      if (now === undefined) return;
      await consume(now, subscription).catch(async (error: unknown) => {
        log.warn({ err: error }, "not subscribed yet: the next connection does it");
        await closeConnection(now);
      });
    },
    /** Declares exchange and queues again, on a new connection. */
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

/** Declares the consumer's quorum queue and its dead-letter queue. */
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
) {
  const batches = startBatches<ConsumeMessage>({
    handle: async (messages) => {
      const dispositions = await subscription.handle(messages.map(toBusMessage));
      for (const [at, message] of messages.entries()) {
        if (dispositions[at] === "dead") channel.nack(message, false, false);
      }
      // The dead ones are already nacked, so one ack covers all others up to the last.
      const last = messages.findLast((_message, at) => dispositions[at] === "stored");
      if (last !== undefined) channel.ack(last, true);
    },
    log,
  });
  // Messages can be acked on their own channel alone: the broker delivers them again.
  channel.once("close", () => void batches.stop());
  const { consumerTag } = await channel.consume(`${namespace}.${subscription.queue}`, (message) => {
    // The broker cancelled the consumer: its queue was deleted or moved.
    if (message === null) void channel.close().catch(doNothing);
    else batches.add(message);
  });
  return {
    stop: async () => {
      await inTime(() => channel.cancel(consumerTag));
      await batches.stop();
      await inTime(() => channel.close());
    },
  };
}

/** What the broker answers within `closeTimeoutMs`, if it does. */
function inTime(close: () => Promise<unknown>): Promise<unknown> {
  return withTimeout(closeTimeoutMs, close, doNothing).catch(doNothing);
}

function toBusMessage(message: ConsumeMessage): BusMessage {
  const { messageId, headers } = message.properties;
  return {
    id: String(messageId ?? ""),
    key: message.fields.routingKey,
    body: message.content,
    origin: originFromHeaders(headers),
  };
}

/** The broker bounds what waits: see `prefetch`. */
const batchLimits = {
  ...{ batchMax, batchBytesMax: Number.POSITIVE_INFINITY, inFlightMax: 1 },
  ...{ waitingMax: Number.POSITIVE_INFINITY, waitingBytesMax: Number.POSITIVE_INFINITY },
};

/** Handles batches one at a time, in order; one that fails is retried until it succeeds. */
export function startBatches<T>({
  handle,
  log,
}: {
  readonly handle: (batch: readonly T[]) => Promise<void>;
  readonly log: Log;
}) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let handled: Promise<void> = Promise.resolve();
  const handleUntilStored = async (batch: readonly T[]) => {
    while (!signal.aborted) {
      try {
        return await handle(batch);
      } catch (error) {
        log.error({ err: error, count: batch.length }, "batch not stored, trying again");
        await pause(storeRetryMs, undefined, { signal }).catch(doNothing);
      }
    }
  };
  const gatherer = createGatherer<Gathered & { readonly item: T }>((batch) => {
    handled = handleUntilStored(batch.map(({ item }) => item));
    return handled;
  }, batchLimits);
  return {
    add: (item: T): void => void gatherer.add({ key: undefined, bytes: 0, item }),
    /** Drops what has not begun (the broker keeps it) and waits for what has. */
    stop: (): Promise<void> => {
      stopping.abort();
      return handled;
    },
  };
}
