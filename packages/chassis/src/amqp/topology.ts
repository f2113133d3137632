import type { ChannelModel } from "amqplib";
import type { Subscription } from "../bus/bus.ts";
import { doNothing, exchangeOf } from "./connection.ts";

/**
 * The maximum number of deliveries of a message. It exceeds any realistic number of crashes, so
 * only unreadable messages go to the dead-letter queue.
 */
const deliveryLimit = 1_000;

/** Returns the names of a consumer's queue and of its dead-letter queue. */
export function queuesOf(namespace: string, { queue }: Pick<Subscription, "queue">) {
  return { inbox: `${namespace}.${queue}.inbox`, dead: `${namespace}.${queue}.dead` };
}

/**
 * Declares a consumer's queue and its dead-letter queue, binds the queue to the publishers'
 * exchanges, and returns the queue's name. A broker user may be allowed to declare only its own
 * queues. The publishers' exchanges must then exist already (`brokerDefinitions`), or the call
 * waits for them.
 */
export async function declareQueue(
  connection: ChannelModel,
  namespace: string,
  subscription: Subscription,
): Promise<string> {
  const { events } = subscription;
  const publishers = new Set(events.flatMap((each) => each.publishers));
  for (const publisher of publishers) {
    await assertExchange(connection, exchangeOf(namespace, publisher));
  }
  const channel = await connection.createChannel();
  channel.on("error", doNothing);
  const { inbox: queue, dead } = queuesOf(namespace, subscription);
  await channel.assertExchange(dead, "fanout", { durable: true });
  await channel.assertQueue(dead, { durable: true, arguments: { "x-queue-type": "quorum" } });
  await channel.bindQueue(dead, dead, "");
  await channel.assertQueue(queue, {
    durable: true,
    arguments: {
      "x-queue-type": "quorum",
      "x-delivery-limit": deliveryLimit,
      "x-dead-letter-exchange": dead,
      "x-dead-letter-strategy": "at-least-once",
      "x-overflow": "reject-publish",
    },
  });
  for (const { keys, publishers: of } of events) {
    for (const publisher of of) {
      for (const key of keys) {
        await channel.bindQueue(queue, exchangeOf(namespace, publisher), key);
      }
    }
  }
  await channel.close();
  return queue;
}

/**
 * Declares an exchange if it is missing. A broker user without permission to declare can still use
 * an existing exchange.
 */
async function assertExchange(connection: ChannelModel, exchange: string): Promise<void> {
  if (await hasExchange(connection, exchange)) return;
  const channel = await connection.createChannel();
  channel.on("error", doNothing);
  await channel.assertExchange(exchange, "topic", { durable: true });
  await channel.close();
}

/**
 * Checks on a separate channel, because the broker closes a channel on which a missing exchange is
 * checked.
 */
async function hasExchange(connection: ChannelModel, name: string): Promise<boolean> {
  const channel = await connection.createChannel();
  channel.on("error", doNothing);
  try {
    await channel.checkExchange(name);
  } catch (error) {
    if ((error as { code?: number }).code === notFound) return false;
    throw error;
  }
  await channel.close();
  return true;
}

/** AMQP 0-9-1's reply code for a missing exchange. */
const notFound = 404;
