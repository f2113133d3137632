/** An event as it crosses the bus. */
export type BusMessage = {
  /** The event's id: consumers drop what they have stored already. */
  readonly id: string;
  /** `payout.initiated`: consumers bind to patterns of it. */
  readonly key: string;
  /** Binary protobuf of the event's message. */
  readonly body: Uint8Array;
  /** The merchant's request that the event goes back to, for the log; not of every event known. */
  readonly requestId?: string;
};

/** What a consumer says of a message: stored for good, or never to be understood. */
export type Disposition = "stored" | "dead";

export type Subscription = {
  /** The consumer's own name: its queue is `<namespace>.<queue>`. */
  readonly queue: string;
  /** Topic patterns: `payout.*`. */
  readonly keys: readonly string[];
  /**
   * Stores a batch and answers for each message, in order. When it throws, nothing was stored: the
   * same batch comes again, until it succeeds. The next one comes when it has answered.
   */
  readonly handle: (batch: readonly BusMessage[]) => Promise<readonly Disposition[]>;
};

/** Where events are exchanged: RabbitMQ, or a hand-over within the process. */
export type Bus = {
  /**
   * Resolves when each message is safe: confirmed by the broker, or stored by the consumer. Rejects
   * when one is not, the ones that nobody is bound to included; publishing again is harmless.
   */
  publish(messages: readonly BusMessage[]): Promise<void>;
  subscribe(subscription: Subscription): Promise<void>;
  ready(): boolean;
  /** Ends consumers first, then waits for running batches. */
  stop(): Promise<void>;
};

/** A batch is stored in one bulk write; larger ones gain nothing (webhooks: consumption). */
export const batchMax = 200;
/** The pause before a batch that could not be stored is tried again. */
export const storeRetryMs = 1_000;

/** Whether a topic pattern takes a key: `*` is one word, `#` any number. */
export function patternTakes(pattern: string, key: string): boolean {
  const expression = pattern
    .split(".")
    .map((word) => (word === "*" ? "[^.]+" : word === "#" ? ".*" : RegExp.escape(word)))
    .join("\\.");
  return new RegExp(`^${expression}$`).test(key);
}
