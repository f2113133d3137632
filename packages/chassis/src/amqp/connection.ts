import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Channel, type ChannelModel, connect } from "amqplib";
import type { Log } from "../log.ts";
import { withTimeout } from "../timeout.ts";
import type { EventKeys } from "./signature.ts";

export type AmqpOptions = {
  readonly url: string;
  /** Prefix of the names of exchanges and queues. */
  readonly namespace: string;
  /** The service publishes to its own exchange. */
  readonly service: string;
  readonly keys: EventKeys;
  readonly log: Log;
  /** The first connection attempt waits for this. */
  readonly after?: Promise<unknown> | undefined;
};

/**
 * A working broker accepts a connection at once. If it stays silent for this long, the bus tries
 * again.
 */
const handshakeTimeoutMs = 10_000;
/** The pause before reconnecting, doubled after each failure. */
const retryMs = 100;
/** Reconnects within about this once the broker is back. */
const retryMaxMs = 2_000;
/** Spreads the reconnects of several services by up to this share. */
const retryJitter = 0.3;
/** A working broker confirms a close at once. */
export const closeTimeoutMs = 2_000;

/** Reconnects until `stop`. The library's own recovery loses listeners (docs/decisions/0019). */
export function maintainConnection(options: {
  readonly url: string;
  readonly after: Promise<unknown> | undefined;
  readonly purpose: "publishing" | "consuming";
  readonly log: Log;
  /** Opens the channels of a new connection. If it fails, the next connection is tried. */
  readonly setup: (connection: ChannelModel) => Promise<void>;
  /** Called when a connection ends, after its `setup`. */
  readonly lost: () => void;
}): { stop(): Promise<void> } {
  const { url, after, purpose, log, setup, lost } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let current: ChannelModel | undefined;

  /** Runs one connection from handshake to end. */
  const live = async () => {
    // Small frames that wait for each other's acknowledgement cost 40 ms each.
    const connection = await connect(url, { timeout: handshakeTimeoutMs, noDelay: true });
    // Added at once: an `error` event without a listener ends the process.
    connection.on("error", (error) => log.warn({ err: error, purpose }, "bus connection failed"));
    const closed = new Promise<void>((resolve) => connection.once("close", () => resolve()));
    current = connection;
    try {
      if (signal.aborted) return;
      // The broker may have closed the connection in the same packet: then `close` was already
      // emitted.
      if (!streamOf(connection).writable) throw new Error("the broker closed the connection");
      // The library never settles the close of a channel whose connection is lost.
      await Promise.race([setup(connection), closed.then(failSetup)]);
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
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    if (after !== undefined) await Promise.race([after.catch(doNothing), aborted]);
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
      if (current !== undefined) closeConnection(current).catch(doNothing);
      // A connection in handshake is closed as soon as it is open.
      await withTimeout(closeTimeoutMs, () => running, doNothing);
    },
  };
}

function failSetup(): never {
  throw new Error("the connection was lost before its channels were open");
}

/** The exchange of a service's events. No other service publishes there. */
export function exchangeOf(namespace: string, service: string): string {
  return `${namespace}.${service}.events`;
}

/** Closes a connection within `closeTimeoutMs`, even if the broker doesn't reply. */
export async function closeConnection(connection: ChannelModel): Promise<void> {
  const ended = new Promise((resolve) => connection.once("close", resolve));
  const closed = connection.close().catch(doNothing);
  await withTimeout(closeTimeoutMs, () => Promise.race([closed, ended]), doNothing);
  cutConnection(connection);
}

/** Ends a connection at once; unsent data is lost. */
export function cutConnection(connection: ChannelModel): void {
  streamOf(connection).destroy(new Error("the connection was cut off"));
}

/** The library's types omit the socket. */
function streamOf({ connection }: ChannelModel): Socket {
  return (connection as unknown as { readonly stream: Socket }).stream;
}

/** Ends the connection when the broker closes the channel, so that both are opened again. */
export function guardChannel(
  connection: ChannelModel,
  channel: Channel,
  log: Log,
  isStopping: () => boolean,
): void {
  channel.on("error", (error) => log.warn({ err: error }, "bus channel failed"));
  channel.once("close", () => {
    if (!isStopping()) closeConnection(connection).catch(doNothing);
  });
}

/** Ignores a promise that may reject or settle late during a close. */
export const doNothing = (): void => undefined;
