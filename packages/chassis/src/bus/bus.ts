import type { Origin } from "../call-context.ts";

export type BusMessage = {
  /** The event's id; consumers drop duplicates by it. */
  readonly id: string;
  /** The routing key: `payout.initiated`. */
  readonly key: string;
  /** Binary protobuf of the event's message. */
  readonly body: Uint8Array;
  /** The request that caused the event, if it is known. */
  readonly origin?: Origin;
  /** The signing service; present if the event came over the broker. */
  readonly publisher?: string;
};

/** The outcome of a message: stored, or unreadable and dead-lettered. */
export type Disposition = "stored" | "dead";

/** The kind of event, from its message's option `disburse.type.v1.event`. */
export type EventType = {
  /** Topic patterns of its routing keys: `payout.*`. */
  readonly keys: readonly string[];
  /** Services that may publish it; an event signed by another service is refused. */
  readonly publishers: readonly string[];
};

export type Subscription = {
  /** The consumer's name: its queue is `<namespace>.<queue>.inbox`. */
  readonly queue: string;
  /** Accepted events and their publishers. */
  readonly events: readonly EventType[];
  /**
   * Stores a batch and returns the outcome of each message. If it throws, it receives the batch
   * again.
   */
  readonly handle: (batch: readonly BusMessage[]) => Promise<readonly Disposition[]>;
};

/** Exchanges events over RabbitMQ, or within the process. */
export type Bus = {
  /** Resolves when each message is confirmed or stored; publishing again is harmless. */
  publish(messages: readonly BusMessage[]): Promise<void>;
  subscribe(subscription: Subscription): Promise<void>;
  ready(): boolean;
  /** Stops consumers first, then waits for running batches. */
  stop(): Promise<void>;
};

/** A batch is stored in one bulk write; larger ones gain nothing (webhooks: consumption). */
export const batchMax = 200;
export const storeRetryMs = 1_000;

/** Matches the keys of a topic pattern: `*` is one word, `#` any number. */
export function patternOf(topic: string): RegExp {
  const expression = topic
    .split(".")
    .map((word) => (word === "*" ? "[^.]+" : word === "#" ? ".*" : RegExp.escape(word)))
    .join("\\.");
  return new RegExp(`^${expression}$`);
}

/** Hands events to consumers of this process; a publication succeeds when all have stored it. */
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
      if (!messages.every(bound)) throw new Error("no consumer is bound to an event's key yet");
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
