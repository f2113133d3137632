import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Channel, type ChannelModel, connect } from "amqplib";
import type { Log } from "../log.ts";
import { withTimeout } from "../timeout.ts";
import type { EventKeys } from "./signature.ts";

/** Where the broker is, and who uses it. */
export type AmqpOptions = {
  readonly url: string;
  /** What the names of exchanges and queues begin with. */
  readonly namespace: string;
  /** The service, which publishes to an exchange of its own. */
  readonly service: string;
  /** Sign and verify events. */
  readonly keys: EventKeys;
  readonly log: Log;
  /** The first connection is not tried before; at once without it. */
  readonly after?: Promise<unknown> | undefined;
};

/** A working broker accepts a connection at once; one that stays silent is tried again. */
const handshakeTimeoutMs = 10_000;
/** The pause before reconnecting, doubled after each failure. */
const retryMs = 100;
/** Reconnects within about this once the broker is back. */
const retryMaxMs = 2_000;
/** Spreads the reconnects of several services by up to this share. */
const retryJitter = 0.3;
/** A working broker confirms the end of a connection at once. */
export const closeTimeoutMs = 2_000;

/** Reconnects until `stop`; the library's recovery leaves no listeners (docs/decisions/0019). */
export function maintainConnection(options: {
  readonly url: string;
  readonly after: Promise<unknown> | undefined;
  /** For the log. */
  readonly purpose: "publishing" | "consuming";
  readonly log: Log;
  /** Opens the channels of a new connection; where it fails the next connection is tried. */
  readonly setup: (connection: ChannelModel) => Promise<void>;
  /** Called at the end of each connection, after its `setup`. */
  readonly lost: () => void;
}): { stop(): Promise<void> } {
  const { url, after, purpose, log, setup, lost } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let current: ChannelModel | undefined;

  /** One connection, from handshake to end. */
  const live = async () => {
    // Small frames that wait for each other's acknowledgement cost 40 ms each.
    const connection = await connect(url, { timeout: handshakeTimeoutMs, noDelay: true });
    // At once: an `error` event without a listener ends the process.
    connection.on("error", (error) => log.warn({ err: error, purpose }, "bus connection failed"));
    const closed = new Promise<void>((resolve) => connection.once("close", () => resolve()));
    current = connection;
    try {
      if (signal.aborted) return;
      // The broker may have closed it with the same packet: then `close` was already emitted.
      if (!streamOf(connection).writable) throw new Error("the broker closed the connection");
      // The library never settles the close of a channel whose connection is lost meanwhile.
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

/** Where a service publishes its events, and no other one does. */
export function exchangeOf(namespace: string, service: string): string {
  return `${namespace}.${service}.events`;
}

/** Closes a connection, in `closeTimeoutMs` even where the broker does not answer. */
export async function closeConnection(connection: ChannelModel): Promise<void> {
  const ended = new Promise((resolve) => connection.once("close", resolve));
  const closed = connection.close().catch(doNothing);
  await withTimeout(closeTimeoutMs, () => Promise.race([closed, ended]), doNothing);
  cutConnection(connection);
}

/** Ends a connection at once; what it has not sent yet is lost. */
export function cutConnection(connection: ChannelModel): void {
  streamOf(connection).destroy(new Error("the connection was cut off"));
}

/** Not in the library's types. */
function streamOf({ connection }: ChannelModel): Socket {
  return (connection as unknown as { readonly stream: Socket }).stream;
}

/** A channel that the broker closes ends its connection; both are opened again. */
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

/** For what may fail or come late while something closes. */
export const doNothing = (): void => undefined;
