import { Pool } from "undici";
import { messageBytesMax } from "../unary-message.ts";
import type { Connecting } from "./connecting.ts";

/** Calls beyond these to one process wait for a connection: it is overloaded already. */
const connectionsMax = 256;
/** No call waits longer by default. */
const connectTimeoutMs = 5_000;
/** Half of the server's: a call would fail on a connection that the server closes. */
const keepAliveMs = 30_000;
/** Bounds the connections to a slow service: one more pool in this time at most. */
const renewEveryMs = 2_000;

const doNothing = (): void => undefined;

/** The connections to a process, which can be replaced while calls run on them. */
export function renewablePools(origin: string, connecting: Connecting) {
  const open = () =>
    new Pool(origin, {
      connections: connectionsMax,
      keepAliveTimeout: keepAliveMs,
      // The server's hint does not lengthen it.
      keepAliveMaxTimeout: keepAliveMs,
      maxResponseSize: messageBytesMax,
      allowH2: false,
      // Every call has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connecting(connectTimeoutMs),
    });
  const retired = new Set<Pool>();
  let current = open();
  let renewedAt = Number.NEGATIVE_INFINITY;
  return {
    current: () => current,
    /** Gives new calls new connections, for the peer of the present ones may be gone. */
    renew: () => {
      const now = performance.now();
      if (now - renewedAt < renewEveryMs) return;
      renewedAt = now;
      const old = current;
      current = open();
      retired.add(old);
      const ended = () => retired.delete(old);
      // It fails where `destroy` ends the pool first.
      old.close().then(ended, ended);
    },
    /** Ends the connections when their calls have ended. */
    close: () => {
      // Where `destroy` ends the pool first, there is nothing left to close.
      current.close().catch(doNothing);
    },
    destroy: () => {
      for (const pool of [current, ...retired]) pool.destroy().catch(doNothing);
    },
  };
}
