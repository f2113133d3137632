import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Channel, type ChannelModel, connect } from "amqplib";
import type { Log } from "../log.ts";

/** Where the broker is, and what the names of its exchange and queues begin with. */
export type AmqpOptions = {
  readonly url: string;
  readonly namespace: string;
  readonly log: Log;
};

export type MaintainedConnection = {
  /** Ends it, and what is being made of it. */
  stop(): Promise<void>;
};

/** A broker that is well takes a connection at once; one that says nothing is tried again. */
const handshakeTimeoutMs = 10_000;
/** The pause before a connection is made anew; twice as long after each that fails. */
const retryMs = 100;
/** A broker that is back is found within about this. */
const retryMaxMs = 2_000;
/** Some services come back sooner and some later than the others, by this share at most. */
const retryJitter = 0.3;
/** A broker answers at once that a connection may end. */
export const closeTimeoutMs = 2_000;

/**
 * A connection to the broker that is made anew, for as long as it takes, whenever it cannot be made
 * or was lost. The library's own recovery hears of a connection's end only once it is set up, and
 * lets nobody else hear of one that it closes while it is being made.
 */
export function maintainConnection(options: {
  readonly url: string;
  /** What it is for: for the log. */
  readonly purpose: "publishing" | "consuming";
  readonly log: Log;
  /** Makes of a new connection what is needed; where that fails the next one is tried. */
  readonly setup: (connection: ChannelModel) => Promise<void>;
  /** What was made is of no use any more. Told of each connection, after its `setup`. */
  readonly lost: () => void;
}): MaintainedConnection {
  const { url, purpose, log, setup, lost } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let current: ChannelModel | undefined;

  /** One connection, from its making to its end. */
  const live = async () => {
    // Small frames that wait for each other's acknowledgement cost 40 ms each.
    const connection = await connect(url, { timeout: handshakeTimeoutMs, noDelay: true });
    // From the first moment on: an error that nobody hears ends the process.
    connection.on("error", (error) => log.warn({ err: error, purpose }, "bus connection failed"));
    const closed = new Promise<void>((resolve) => connection.once("close", () => resolve()));
    current = connection;
    try {
      if (signal.aborted) return;
      // One that the broker closed in the same breath as it opened it has said so already.
      if (!streamOf(connection).writable) throw new Error("the broker closed the connection");
      await setup(connection);
      failures = 0;
      log.info({ purpose }, "bus connected");
      await closed;
      if (!signal.aborted) log.warn({ purpose }, "bus disconnected");
    } finally {
      current = undefined;
      lost();
      await closeConnection(connection);
    }
  };

  const run = async () => {
    while (!signal.aborted) {
      await live().catch((error: unknown) => {
        failures += 1;
        if (!signal.aborted) log.warn({ err: error, purpose }, "bus not connected");
      });
      const pauseMs = Math.min(retryMs * 2 ** failures, retryMaxMs);
      const jitter = 1 + retryJitter * (2 * Math.random() - 1);
      await pause(pauseMs * jitter, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      if (current !== undefined) void closeConnection(current);
      // One that is being made ends as soon as it is.
      await Promise.race([running, timeout(closeTimeoutMs)]);
    },
  };
}

/** Where all events of a namespace are published. */
export function exchangeOf(namespace: string): string {
  return `${namespace}.events`;
}

/** Closes a connection; one whose broker does not answer is cut off. */
export async function closeConnection(connection: ChannelModel): Promise<void> {
  const ended = new Promise((resolve) => connection.once("close", resolve));
  const closed = connection.close().catch(() => undefined);
  await Promise.race([closed, ended, timeout(closeTimeoutMs)]);
  cutConnection(connection);
}

/** Ends a connection at once, with what it has still to send. */
export function cutConnection(connection: ChannelModel): void {
  streamOf(connection).destroy(new Error("the connection was cut off"));
}

/** The library's types do not tell of it. */
function streamOf({ connection }: ChannelModel): Socket {
  return (connection as unknown as { readonly stream: Socket }).stream;
}

/** A channel that the broker closed takes its connection along: both are made anew. */
export function guardChannel(
  connection: ChannelModel,
  channel: Channel,
  log: Log,
  isStopping: () => boolean,
): void {
  channel.on("error", (error) => log.warn({ err: error }, "bus channel failed"));
  channel.once("close", () => {
    if (!isStopping()) void closeConnection(connection);
  });
}

/** Resolves after so long; a process does not stay for it. */
export function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
