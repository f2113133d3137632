import type { Transport } from "@connectrpc/connect";
import { contentTypeUnaryProto } from "@connectrpc/connect/protocol-connect";
import {
  Health,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { Client, Pool } from "undici";
import { messageBytesMax, parseMessage } from "../unary-message.ts";
import type { Address } from "./addresses.ts";
import { type Connecting, connectingTo, type Securing } from "./connecting.ts";

const { SERVING: serving } = HealthCheckResponse_ServingStatus;

/**
 * The time limit of an aliveness probe. Together with the silence before the probe, a hung process
 * is detected in about a second.
 */
const aliveTimeoutMs = 500;
/** The time limit of a health probe. A process whose database hangs reports this after a second. */
const healthTimeoutMs = 1_500;

/**
 * The maximum number of connections to one process. Further calls wait, because the process is
 * already overloaded.
 */
const connectionsMax = 256;
/** The default limit of a connection attempt. */
const connectTimeoutMs = 5_000;
/**
 * The idle time after which a connection is closed. It is half of the server's time, because a call
 * on a connection that the server is closing would fail.
 */
const keepAliveMs = 30_000;
/**
 * The minimum interval between two new connection pools. It limits the connections to a slow
 * service.
 */
const renewEveryMs = 2_000;

const doNothing = (): void => undefined;

/** A call that has no response yet. */
export type OutstandingCall = {
  /** Called if the endpoint hangs. The callback may cancel the call. */
  readonly onHung: () => void;
};

/** One process of a service, and the connections to it. */
export type Endpoint = ReturnType<typeof createEndpoint>;

/** Opens the streams of an endpoint over one connection, which is opened at the first stream. */
export type OpenStreams = (address: Address) => {
  readonly stream: Transport["stream"];
  readonly close: () => void;
};

/** Creates an endpoint for calls and streams. Connections are opened at their first use. */
export function createEndpoint(
  address: Address,
  openStreams: OpenStreams,
  securing: Securing | undefined,
) {
  const { origin, pathname } = new URL(address.url);
  const base = pathname.replace(/\/$/, "");
  const connecting = connectingTo(address, securing);
  const pools = renewablePools(origin, connecting);
  let streams: ReturnType<OpenStreams> | undefined;
  return {
    key: address.key,
    base,
    pools,
    ...probeOf(origin, base, connecting),
    calls: new Set<OutstandingCall>(),
    /** The time of the endpoint's last response, or of its first pending call, in milliseconds. */
    answeredMs: performance.now(),
    streams: () => {
      streams ??= openStreams(address);
      return streams;
    },
    /** Closes the endpoint's connections when their calls have ended. */
    retire: () => {
      pools.close();
      // A stream may never end by itself, so it is closed. Its caller opens another one.
      streams?.close();
    },
    destroy: () => {
      pools.destroy();
      streams?.close();
    },
  };
}

/** Creates connection pools to a process. A pool can be replaced while calls run on it. */
export function renewablePools(origin: string, connecting: Connecting) {
  const open = () =>
    new Pool(origin, {
      connections: connectionsMax,
      keepAliveTimeout: keepAliveMs,
      // The server's hint for the idle time must not lengthen ours.
      keepAliveMaxTimeout: keepAliveMs,
      maxResponseSize: messageBytesMax,
      allowH2: false,
      // No limit, because every call has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connecting(connectTimeoutMs),
    });
  const retired = new Set<Pool>();
  let current = open();
  let renewedAt = Number.NEGATIVE_INFINITY;
  return {
    current: () => current,
    /**
     * Uses new connections for new calls, because the peer of the current connections may be gone.
     */
    renew: () => {
      const now = performance.now();
      if (now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      const ended = () => retired.delete(old);
      // This close fails if `destroy` ends the pool first.
      old.close().then(ended, ended);
    },
    /** Closes the connections when their calls have ended. */
    close: () => {
      // If `destroy` ends the pool first, there is nothing left to close.
      current.close().catch(doNothing);
    },
    destroy: () => {
      for (const pool of [current, ...retired]) pool.destroy().catch(doNothing);
    },
  };
}

/**
 * Creates probes of a process. They use a separate connection, because the other connections may be
 * dead.
 */
function probeOf(origin: string, base: string, connecting: Connecting) {
  const ask = async (method: "GET" | "POST", path: string, timeoutMs: number) => {
    const client = new Client(origin, { allowH2: false, connect: connecting(timeoutMs) });
    try {
      const { statusCode, body } = await client.request({
        method,
        path: `${base}${path}`,
        signal: AbortSignal.timeout(timeoutMs),
        ...(method === "POST" && { body: new Uint8Array() }),
        headers: { "content-type": contentTypeUnaryProto },
      });
      return { statusCode, bytes: await body.bytes() };
    } catch {
      // The connection was refused or broken, or the process did not respond.
      return undefined;
    } finally {
      client.destroy().catch(() => undefined);
    }
  };
  return {
    /** Returns true if the process responds at all, even while its database hangs. */
    isAlive: async () => (await ask("GET", "/", aliveTimeoutMs)) !== undefined,
    /** Returns true if the process is ready for calls. */
    isServing: async () => {
      const answer = await ask("POST", `/${Health.typeName}/Check`, healthTimeoutMs);
      if (answer === undefined) return false;
      if (answer.statusCode !== 200) return answer.statusCode < 500;
      return statusIn(answer.bytes) === serving;
    },
  };
}

/** Reads the health status. Returns `undefined` if the bytes are not a health response. */
function statusIn(bytes: Uint8Array) {
  try {
    return parseMessage(HealthCheckResponseSchema, bytes).status;
  } catch {
    return undefined;
  }
}
