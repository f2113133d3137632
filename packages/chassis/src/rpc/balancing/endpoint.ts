import type { Transport } from "@connectrpc/connect";
import type { Address } from "./addresses.ts";
import { connectingTo, type Securing } from "./connecting.ts";
import { renewablePools } from "./pools.ts";
import { probeOf } from "./probe.ts";

/** A call that an endpoint has not answered yet. */
export type OutstandingCall = {
  /** The endpoint hangs: the call may be given up here. */
  readonly onHung: () => void;
};

/** One process of a service, and the connections to it. */
export type Endpoint = ReturnType<typeof createEndpoint>;

/** The streams of an endpoint and their connection, made for the first one. */
export type OpenStreams = (address: Address) => {
  readonly stream: Transport["stream"];
  readonly close: () => void;
};

/** An endpoint of calls and of streams; it connects at the first of each. */
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
    /** When it answered last, or got a call while it had none, in milliseconds. */
    heardMs: performance.now(),
    streams: () => {
      streams ??= openStreams(address);
      return streams;
    },
    /** Ends its connections when their calls have ended. */
    retire: () => {
      pools.close();
      // A stream has no end of its own; its caller opens another.
      streams?.close();
    },
    /** Ends its connections at once. */
    destroy: () => {
      pools.destroy();
      streams?.close();
    },
  };
}
