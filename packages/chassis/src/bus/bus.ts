import type { Origin } from "../call-context.ts";

/** An event on the bus. */
export type BusMessage = {
  /** The event's id, by which consumers drop duplicates. */
  readonly id: string;
  /** The routing key: `payout.initiated`. */
  readonly key: string;
  /** Binary protobuf of the event's message. */
  readonly body: Uint8Array;
  /** The request that caused the event, where it is known. */
  readonly origin?: Origin;
  /** The service that signed it, where it came over the broker. */
  readonly publisher?: string;
};

/** What became of a message: stored, or unreadable and dead-lettered. */
export type Disposition = "stored" | "dead";

/** One kind of event, as its message's option `disburse.type.v1.event` says. */
export type EventType = {
  /** Topic patterns of its routing keys: `payout.*`. */
  readonly keys: readonly string[];
  /** The services that may publish it; one that another has signed is refused. */
  readonly publishers: readonly string[];
};

/** What a consumer receives, and how it handles it. */
export type Subscription = {
  /** The consumer's name: its queue is `<namespace>.<queue>.inbox`. */
  readonly queue: string;
  /** What it takes, and of whom. */
  readonly events: readonly EventType[];
  /** Stores a batch and answers for each message; where it throws, it gets the batch again. */
  readonly handle: (batch: readonly BusMessage[]) => Promise<readonly Disposition[]>;
};

/** Where events are exchanged: RabbitMQ, or within the process. */
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
/** The pause before a batch is retried. */
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
