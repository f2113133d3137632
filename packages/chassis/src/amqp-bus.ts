import {
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  type ConsumeMessage,
  connect,
  type Message,
  type RecoveringChannelModel,
} from "amqplib";
import { startBatches } from "./amqp-batches.ts";
import { type Bus, type BusMessage, batchMax, type Subscription } from "./bus.ts";
import type { Log } from "./log.ts";
import { isRequestId, requestIdHeader } from "./rpc-identity.ts";

export type AmqpBusOptions = {
  readonly url: string;
  readonly namespace: string;
  readonly log: Log;
  /** A confirm that does not come within this is as good as none: the outbox publishes again. */
  readonly confirmTimeoutMs?: number;
};

/** Unacked messages a consumer holds: two batches, so that one gathers while one is stored. */
const prefetch = 2 * batchMax;
/** A broker that is busy confirms within seconds. */
const confirmTimeoutDefaultMs = 10_000;
/** amqplib's close() on a dead connection may never settle. */
const closeTimeoutMs = 2_000;
/**
 * A consumer that dies takes its unacked messages' delivery count up by one. Far above any number
 * of crashes, so that only a message that cannot be parsed is dead-lettered, and that explicitly.
 */
const deliveryLimit = 1_000;

/**
 * Events over RabbitMQ: one topic exchange, one quorum queue per consumer, persistent messages,
 * publisher confirms, manual acks after storing. Connects and reconnects by itself, a broker that
 * is away at the start included; topology is declared on every connection.
 */
export async function connectAmqpBus(options: AmqpBusOptions): Promise<Bus> {
  const { url, namespace, log, confirmTimeoutMs = confirmTimeoutDefaultMs } = options;
  const exchange = `${namespace}.events`;
  const subscriptions: Subscription[] = [];
  const consumers = new Map<Subscription, { stop(): Promise<void> }>();
  let publisher: Publisher | undefined;
  let model: ChannelModel | undefined;
  let stopping = false;

  /** A channel that the broker closed takes its connection along: recovery makes both anew. */
  const guard = (connection: ChannelModel, channel: Channel) => {
    channel.on("error", (error) => log.warn({ err: error }, "bus channel failed"));
    channel.once("close", () => {
      if (!stopping) void connection.close().catch(() => undefined);
    });
  };

  const consume = async (connection: ChannelModel, subscription: Subscription) => {
    const channel = await connection.createChannel();
    guard(connection, channel);
    await declareQueue(channel, namespace, subscription);
    await channel.prefetch(prefetch);
    consumers.set(subscription, await startConsumer(channel, namespace, subscription, log));
  };

  const setup = async (connection: ChannelModel) => {
    // The library listens when all of this is done; a connection may break before.
    connection.on("error", () => undefined);
    const channel = await connection.createConfirmChannel();
    guard(connection, channel);
    await channel.assertExchange(exchange, "topic", { durable: true });
    for (const subscription of subscriptions) await consume(connection, subscription);
    publisher = createPublisher(channel, exchange, confirmTimeoutMs);
    model = connection;
  };

  const connection = await connect(url, {
    recovery: { initialDelay: 100, maxDelay: 2_000, jitter: 0.3, waitForConnect: false, setup },
  });
  tellState(connection, log);
  connection.on("disconnect", (error) => {
    publisher?.fail(error);
    publisher = undefined;
    model = undefined;
    for (const consumer of consumers.values()) void consumer.stop();
    consumers.clear();
  });

  return {
    publish: async (messages) => {
      if (publisher === undefined) throw new Error("the bus is not connected");
      await publisher.publish(messages);
    },
    subscribe: async (subscription) => {
      subscriptions.push(subscription);
      const now = model;
      if (now === undefined) return;
      await consume(now, subscription).catch(async (error: unknown) => {
        log.warn({ err: error }, "not subscribed yet: the next connection does it");
        await now.close().catch(() => undefined);
      });
    },
    ready: () => publisher !== undefined,
    stop: async () => {
      stopping = true;
      await Promise.all([...consumers.values()].map((consumer) => consumer.stop()));
      await Promise.race([connection.close(), timeout(closeTimeoutMs)]);
    },
  };
}

function tellState(connection: RecoveringChannelModel, log: Log): void {
  connection.on("error", (error) => log.warn({ err: error }, "bus connection failed"));
  connection.on("connect-failed", (error) => log.warn({ err: error }, "bus not connected"));
  connection.on("connect", () => log.info({}, "bus connected"));
  connection.on("disconnect", () => log.warn({}, "bus disconnected"));
}

/** The consumer's quorum queue, and where its dead letters go, at least once. */
async function declareQueue(channel: Channel, namespace: string, subscription: Subscription) {
  const queue = `${namespace}.${subscription.queue}`;
  const dead = `${queue}.dead`;
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
  for (const key of subscription.keys) {
    await channel.bindQueue(queue, `${namespace}.events`, key);
  }
}

async function startConsumer(
  channel: Channel,
  namespace: string,
  subscription: Subscription,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const batches = startBatches<ConsumeMessage>({
    handle: async (messages) => {
      const said = await subscription.handle(messages.map(toBusMessage));
      messages.forEach((message, at) => {
        if (said[at] === "stored") channel.ack(message);
        else channel.nack(message, false, false);
      });
    },
    log,
    parallel: subscription.parallel ?? 1,
  });
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

type Publisher = {
  publish(messages: readonly BusMessage[]): Promise<void>;
  fail(error: Error): void;
};

/** Publishes with confirms; a message that no queue takes comes back and counts as unpublished. */
function createPublisher(
  channel: ConfirmChannel,
  exchange: string,
  confirmTimeoutMs: number,
): Publisher {
  const returned = new Set<string>();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  channel.on("return", (message: Message) => returned.add(String(message.properties.messageId)));
  channel.on("close", () => lost.reject(new Error("the bus channel closed")));

  const publishOne = ({ id, key, body, requestId }: BusMessage) =>
    new Promise<void>((resolve, reject) => {
      const headers = requestId === undefined ? {} : { [requestIdHeader]: requestId };
      const options = { persistent: true, mandatory: true, messageId: id, headers };
      channel.publish(exchange, key, Buffer.from(body), options, (error) => {
        if (error) reject(error instanceof Error ? error : new Error("not confirmed"));
        else if (returned.delete(id)) reject(new Error("no queue is bound to the event's key"));
        else resolve();
      });
    });

  return {
    publish: async (messages) => {
      const late = timeout(confirmTimeoutMs).then(() => {
        throw new Error("the broker did not confirm in time");
      });
      late.catch(() => undefined);
      await Promise.race([Promise.all(messages.map(publishOne)), lost.promise, late]);
    },
    fail: (error) => lost.reject(error),
  };
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
