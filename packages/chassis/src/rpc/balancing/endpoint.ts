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

/** With the silence before it, a hung process is detected in about a second. */
const aliveTimeoutMs = 500;
/** A process whose database hangs reports it after a second. */
const healthTimeoutMs = 1_500;

/** Further calls to one process wait for a connection: it is overloaded already. */
const connectionsMax = 256;
/** The default limit of a connection attempt. */
const connectTimeoutMs = 5_000;
/** Half of the server's: a call would fail on a connection that the server closes. */
const keepAliveMs = 30_000;
/** Bounds the connections to a slow service: at most one more pool in this time. */
const renewEveryMs = 2_000;

const doNothing = (): void => undefined;

/** A call without an answer so far. */
export type OutstandingCall = {
  /** Called if the endpoint hangs: the call may be cancelled here. */
  readonly onHung: () => void;
};

/** One process of a service, and the connections to it. */
export type Endpoint = ReturnType<typeof createEndpoint>;

/** Opens the streams of an endpoint on one connection, at the first stream. */
export type OpenStreams = (address: Address) => {
  readonly stream: Transport["stream"];
  readonly close: () => void;
};

/** Creates an endpoint of calls and streams; each connects at its first use. */
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
    /** The time of its last answer, or of its first pending call, in milliseconds. */
    answeredMs: performance.now(),
    streams: () => {
      streams ??= openStreams(address);
      return streams;
    },
    /** Ends its connections when their calls have ended. */
    retire: () => {
      pools.close();
      // A stream may never end by itself; its caller opens another.
      streams?.close();
    },
    destroy: () => {
      pools.destroy();
      streams?.close();
    },
  };
}

/** Pools of connections to a process, replaceable while calls run on them. */
export function renewablePools(origin: string, connecting: Connecting) {
  const open = () =>
    new Pool(origin, {
      connections: connectionsMax,
      keepAliveTimeout: keepAliveMs,
      // The server's hint does not lengthen it.
      keepAliveMaxTimeout: keepAliveMs,
      maxResponseSize: messageBytesMax,
      allowH2: false,
      // Every call has its own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connecting(connectTimeoutMs),
    });
  const retired = new Set<Pool>();
  let current = open();
  let renewedAt = Number.NEGATIVE_INFINITY;
  return {
    current: () => current,
    /** Moves new calls to new connections, because the peer of the present ones may be gone. */
    renew: () => {
      const now = performance.now();
      if (now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      const ended = () => retired.delete(old);
      // It fails if `destroy` ends the pool first.
      old.close().then(ended, ended);
    },
    /** Ends the connections when their calls have ended. */
    close: () => {
      // If `destroy` ends the pool first, there is nothing left to close.
      current.close().catch(doNothing);
    },
    destroy: () => {
      for (const pool of [current, ...retired]) pool.destroy().catch(doNothing);
    },
  };
}

/** Probes one process over a separate connection, because the others may be dead. */
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
      // Refused, cut or silent: no answer.
      return undefined;
    } finally {
      client.destroy().catch(() => undefined);
    }
  };
  return {
    /** True if the process answers at all, even while its database hangs. */
    isAlive: async () => (await ask("GET", "/", aliveTimeoutMs)) !== undefined,
    /** True if the process wants calls. */
    isServing: async () => {
      const answer = await ask("POST", `/${Health.typeName}/Check`, healthTimeoutMs);
      if (answer === undefined) return false;
      if (answer.statusCode !== 200) return answer.statusCode < 500;
      return statusIn(answer.bytes) === serving;
    },
  };
}

/** Reads the status; `undefined` if the bytes are no health answer. */
function statusIn(bytes: Uint8Array) {
  try {
    return parseMessage(HealthCheckResponseSchema, bytes).status;
  } catch {
    return undefined;
  }
}
