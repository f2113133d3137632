import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Channel, type ChannelModel, connect } from "amqplib";
import type { Log } from "../log.ts";
import { withTimeout } from "../timeout.ts";
import { brokerAddressesOf } from "./addresses.ts";
import type { EventKeys } from "./signature.ts";

export type AmqpOptions = {
  /** One address, or the addresses of a cluster's nodes, separated by commas. */
  readonly url: string;
  /** Prefix of the names of exchanges and queues. */
  readonly namespace: string;
  /** The name of the service. Each service publishes to its own exchange. */
  readonly service: string;
  readonly keys: EventKeys;
  readonly log: Log;
  /** The first connection attempt waits until this promise resolves. */
  readonly after?: Promise<unknown> | undefined;
};

/**
 * A working broker accepts a connection immediately. If it does not reply within this time, the bus
 * tries again.
 */
const handshakeTimeoutMs = 10_000;
/** The first pause before a new connection attempt. It doubles after each round of failures. */
const retryMs = 100;
/**
 * The longest pause between connection attempts. A client reconnects within about this time after
 * the broker is back.
 */
const retryMaxMs = 2_000;
/**
 * The share by which each pause is randomly shortened or lengthened, so that services do not all
 * reconnect at the same time.
 */
const retryJitter = 0.3;
/** The maximum wait for the broker to confirm a close. A working broker confirms immediately. */
export const closeTimeoutMs = 2_000;

/**
 * Keeps a connection open until `stop`, and reconnects when it is lost. Tries the addresses in turn:
 * when a node is lost, the next one comes first. The library's own recovery loses listeners
 * (docs/decisions/0019).
 */
export function maintainConnection(options: {
  readonly url: string;
  readonly after: Promise<unknown> | undefined;
  readonly purpose: "publishing" | "consuming";
  readonly log: Log;
  /**
   * Opens the channels of a new connection. If this fails, the connection is closed and another one
   * is tried.
   */
  readonly setup: (connection: ChannelModel) => Promise<void>;
  /** Called when a connection ends for which `setup` was called. */
  readonly lost: () => void;
}): { stop(): Promise<void> } {
  const { url, after, purpose, log, setup, lost } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const addresses = brokerAddressesOf(url);
  let attempts = 0;
  let failures = 0;
  let current: ChannelModel | undefined;

  /** Runs one connection from its handshake to its end. */
  const live = async () => {
    // Without `noDelay`, each small frame waits for the acknowledgement of the previous one, which
    // costs 40 ms.
    const options = { timeout: handshakeTimeoutMs, noDelay: true };
    const address = addresses[attempts % addresses.length] ?? "";
    attempts += 1;
    const connection = await connect(address, options);
    // The listener must be added immediately, because an `error` event without a listener ends the
    // process.
    connection.on("error", (error) =>
      log.warn({ err: error, purpose }, "connection to the message broker failed"),
    );
    const closed = new Promise<void>((resolve) => connection.once("close", () => resolve()));
    current = connection;
    try {
      if (signal.aborted) return;
      // The broker may have closed the connection in the same packet. The `close` event was then
      // emitted before this listener was added.
      if (!streamOf(connection).writable) throw new Error("the broker closed the connection");
      // If the connection is lost while a channel closes, the library's promise for that close
      // never settles.
      await Promise.race([setup(connection), closed.then(failSetup)]);
      failures = 0;
      log.info({ purpose }, "connected to the message broker");
      await closed;
      if (!signal.aborted)
        log.warn({ purpose }, "connection to the message broker closed; reconnecting");
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
        if (!signal.aborted)
          log.warn({ err: error, purpose }, "could not connect to the message broker; retrying");
      });
      // The pause doubles once all addresses have failed.
      const rounds = Math.ceil(failures / addresses.length);
      const pauseMs = Math.min(retryMs * 2 ** rounds, retryMaxMs);
      const jitter = 1 + retryJitter * (2 * Math.random() - 1);
      await pause(pauseMs * jitter, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      if (current !== undefined) closeConnection(current).catch(doNothing);
      // A connection that is still in its handshake closes as soon as it is open.
      await withTimeout(closeTimeoutMs, () => running, doNothing);
    },
  };
}

function failSetup(): never {
  throw new Error("the broker connection was lost before its channels were open");
}

/** Returns the name of the exchange for a service's events. No other service publishes to it. */
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

/** Closes a connection immediately. Unsent data is lost. */
export function cutConnection(connection: ChannelModel): void {
  streamOf(connection).destroy(new Error("this process cut its connection to the message broker"));
}

/** The library's types omit the socket. */
function streamOf({ connection }: ChannelModel): Socket {
  return (connection as unknown as { readonly stream: Socket }).stream;
}

/** Closes the connection when the broker closes the channel, so that both are opened again. */
export function guardChannel(
  connection: ChannelModel,
  channel: Channel,
  log: Log,
  isStopping: () => boolean,
): void {
  channel.on("error", (error) =>
    log.warn({ err: error }, "the message broker closed a channel; reconnecting"),
  );
  channel.once("close", () => {
    if (!isStopping()) closeConnection(connection).catch(doNothing);
  });
}

/** Handler for promises that may reject or settle late during a close. */
export const doNothing = (): void => undefined;
