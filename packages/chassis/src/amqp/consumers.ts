import { setTimeout as pause } from "node:timers/promises";
import type { Channel, ChannelModel, ConsumeMessage } from "amqplib";
import {
  type BusMessage,
  batchMax,
  type Disposition,
  type Subscription,
  storeRetryMs,
} from "../bus/bus.ts";
import { publishersOf } from "../bus/event-type.ts";
import type { Log } from "../log.ts";
import { createGatherer, type Gathered } from "../mongo/grouping/gatherer.ts";
import { reportRejection } from "../rejections.ts";
import { withTimeout } from "../timeout.ts";
import {
  type AmqpOptions,
  closeConnection,
  closeTimeoutMs,
  doNothing,
  guardChannel,
  maintainConnection,
} from "./connection.ts";
import { originFromHeaders } from "./origin.ts";
import { createEventVerifier, type Rejection, type SignedParts } from "./signature.ts";
import { declareQueue } from "./topology.ts";

/**
 * The maximum number of unacknowledged messages of a consumer. One batch is collected while another
 * one is stored.
 */
const prefetch = 2 * batchMax;

export type ConsumerOptions = AmqpOptions & {
  /** Called for each message whose signature is rejected. */
  readonly rejected: (reason: Rejection) => void;
};

export function createConsumers(options: ConsumerOptions) {
  const { url, after, namespace, log } = options;
  const subscriptions: Subscription[] = [];
  const consumers = new Set<Awaited<ReturnType<typeof startConsumer>>>();
  let current: ChannelModel | undefined;
  let stopping = false;

  const consume = async (connection: ChannelModel, subscription: Subscription) => {
    const queue = await declareQueue(connection, namespace, subscription);
    const channel = await connection.createChannel();
    guardChannel(connection, channel, log, () => stopping);
    await channel.prefetch(prefetch);
    consumers.add(await startConsumer(channel, queue, signedConsumer(subscription, options), log));
  };

  const connection = maintainConnection({
    url,
    after,
    purpose: "consuming",
    log,
    setup: async (opened) => {
      for (const subscription of subscriptions) await consume(opened, subscription);
      current = opened;
    },
    lost: () => {
      current = undefined;
      consumers.clear();
    },
  });

  return {
    /**
     * Subscribes immediately if there is a connection. Otherwise subscribes when the next
     * connection opens.
     */
    subscribe: async (subscription: Subscription) => {
      subscriptions.push(subscription);
      const now = current;
      if (now === undefined) return;
      await consume(now, subscription).catch(async (error: unknown) => {
        log.warn({ err: error }, "could not subscribe to a queue; the next connection retries it");
        await closeConnection(now);
      });
    },
    /** Reconnects, and declares exchange and queues again. */
    renew: () => {
      if (current !== undefined) closeConnection(current).catch(doNothing);
    },
    ready: () => current !== undefined,
    stop: async () => {
      stopping = true;
      await Promise.all([...consumers].map((consumer) => consumer.stop()));
      await connection.stop();
    },
  };
}

type Consumer = (messages: readonly ConsumeMessage[]) => Promise<readonly Disposition[]>;

/**
 * Passes verified messages to the handler. Rejected messages go to the dead-letter queue once their
 * batch is settled.
 */
function signedConsumer({ events, handle }: Subscription, options: ConsumerOptions): Consumer {
  const { keys, namespace, rejected, log } = options;
  const mayPublish = publishersOf(events);
  const publisherOf = createEventVerifier(keys, namespace);
  const verify = async (message: ConsumeMessage) => {
    const found = await publisherOf(signedParts(message), mayPublish);
    if ("rejected" in found) return found;
    return { event: { ...toBusMessage(message), publisher: found.publisher } };
  };
  return async (messages) => {
    const results = await Promise.all(messages.map(verify));
    const accepted = results.flatMap((each) => ("event" in each ? [each.event] : []));
    const handled = accepted.length === 0 ? [] : await handle(accepted);
    const dispositions = handled.values();
    return results.map((each, at): Disposition => {
      if ("event" in each) return dispositions.next().value ?? "dead";
      const event_id = messages[at]?.properties.messageId;
      rejected(each.rejected);
      log.error(
        { event_id, reason: each.rejected },
        "message sent to the dead-letter queue: its signature was rejected",
      );
      return "dead";
    });
  };
}

async function startConsumer(channel: Channel, queue: string, consumer: Consumer, log: Log) {
  const batches = startBatches<ConsumeMessage>({
    handle: async (messages) => {
      const dispositions = await consumer(messages);
      for (const [at, message] of messages.entries()) {
        if (dispositions[at] === "dead") channel.nack(message, false, false);
      }
      // Dead messages are already rejected. One ack for the last stored message therefore covers
      // all other messages before it.
      const last = messages.findLast((_message, at) => dispositions[at] === "stored");
      if (last !== undefined) channel.ack(last, true);
    },
    log,
  });
  // A message can be acknowledged only on its own channel. After that channel closes, the broker
  // delivers the message again.
  channel.once("close", () => {
    batches.stop().catch(reportRejection);
  });
  const { consumerTag } = await channel.consume(queue, (message) => {
    // A null message means that the broker cancelled the consumer because its queue was deleted or
    // moved.
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

/** Waits at most `closeTimeoutMs` for the broker's reply. */
function inTime(close: () => Promise<unknown>): Promise<unknown> {
  return withTimeout(closeTimeoutMs, close, doNothing).catch(doNothing);
}

function signedParts({ properties, fields, content }: ConsumeMessage): SignedParts {
  const { messageId, headers = {} } = properties;
  return { id: String(messageId ?? ""), key: fields.routingKey, body: content, headers };
}

function toBusMessage(message: ConsumeMessage): BusMessage {
  const { id, key, body, headers } = signedParts(message);
  return { id, key, body, origin: originFromHeaders(headers) };
}

/**
 * `prefetch` already limits the unacknowledged messages, so the gatherer needs no limit of its own.
 */
const batchLimits = {
  batchMax,
  batchBytesMax: Number.POSITIVE_INFINITY,
  inFlightMax: 1,
  waitingMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

/** Handles batches one at a time, in order. Retries a failed batch until it succeeds. */
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
        log.error(
          { err: error, count: batch.length },
          "handling a batch of messages failed; retrying",
        );
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
    /**
     * Waits for the running batch and drops the others. The broker still has the dropped messages.
     */
    stop: (): Promise<void> => {
      stopping.abort();
      return handled;
    },
  };
}
