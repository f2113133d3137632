import type { Origin } from "../call-context.ts";

export type BusMessage = {
  /** The event's id, by which consumers drop duplicates. */
  readonly id: string;
  /** The routing key: `payout.initiated`. */
  readonly key: string;
  /** Binary protobuf of the event's message. */
  readonly body: Uint8Array;
  /** The request that caused the event, if known. */
  readonly origin?: Origin;
  /** The service that signed the event. Present if the event came over the broker. */
  readonly publisher?: string;
};

/**
 * The outcome of a message. `stored`: the consumer stored it. `dead`: it is unreadable and goes to
 * the dead-letter queue.
 */
export type Disposition = "stored" | "dead";

/** A kind of event, as defined by the option `disburse.type.v1.event` of its protobuf message. */
export type EventType = {
  /** Topic patterns of the event's routing keys: `payout.*`. */
  readonly keys: readonly string[];
  /** Services that may publish the event. An event signed by another service is refused. */
  readonly publishers: readonly string[];
};

export type Subscription = {
  /** The consumer's name. Its queue is named `<namespace>.<queue>.inbox`. */
  readonly queue: string;
  /** The accepted kinds of events, with their publishers. */
  readonly events: readonly EventType[];
  /**
   * Stores a batch and returns the outcome of each message. If it throws, the same batch is
   * delivered again.
   */
  readonly handle: (batch: readonly BusMessage[]) => Promise<readonly Disposition[]>;
};

/** Exchanges events over RabbitMQ or within the process. */
export type Bus = {
  /**
   * Resolves when each message is confirmed or stored. Publishing the same message again is
   * harmless.
   */
  publish(messages: readonly BusMessage[]): Promise<void>;
  subscribe(subscription: Subscription): Promise<void>;
  ready(): boolean;
  /** Stops the consumers, then waits for running batches. */
  stop(): Promise<void>;
};

/**
 * The maximum number of messages in a batch, which is stored in one bulk write. Larger batches are
 * not faster (webhooks: consumption).
 */
export const batchMax = 200;
export const storeRetryMs = 1_000;

/**
 * Converts a topic pattern to a regular expression that matches its routing keys. `*` stands for
 * one word, `#` for any number of words.
 */
export function patternOf(topic: string): RegExp {
  const expression = topic
    .split(".")
    .map((word) => (word === "*" ? "[^.]+" : word === "#" ? ".*" : RegExp.escape(word)))
    .join("\\.");
  return new RegExp(`^${expression}$`);
}

/**
 * Delivers events to consumers in this process. A publication succeeds when all consumers have
 * stored it.
 */
export function createMemoryBus(): Bus {
  const subscriptions: Subscription[] = [];
  const running = new Set<Promise<unknown>>();
  let stopped = false;

  const takes = ({ events }: Subscription, { key }: BusMessage) =>
    events.some(({ keys }) => keys.some((topic) => patternOf(topic).test(key)));
  const deliver = async (messages: readonly BusMessage[]) => {
    for (const subscription of subscriptions) {
      const batch = messages.filter((message) => takes(subscription, message));
      if (batch.length > 0) await subscription.handle(batch);
    }
  };
  const bound = (message: BusMessage) => subscriptions.some((each) => takes(each, message));

  return {
    publish: async (messages) => {
      if (stopped) throw new Error("the bus is stopped");
      if (!messages.every(bound))
        throw new Error("no consumer is subscribed to an event's routing key yet");
      const delivery = deliver(messages);
      running.add(delivery);
      try {
        await delivery;
      } finally {
        running.delete(delivery);
      }
    },
    subscribe: async (subscription) => {
      subscriptions.push(subscription);
    },
    ready: () => !stopped,
    stop: async () => {
      stopped = true;
      await Promise.allSettled(running);
    },
  };
}
