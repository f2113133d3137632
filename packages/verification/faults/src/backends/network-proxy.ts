import { once } from "node:events";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { listenLocally } from "@disburse/harness/local-server.ts";
import type { Random } from "@disburse/harness/random.ts";

/**
 * A connection's behaviour. `delay` holds each piece of data back for a random time, and `slow` for
 * a longer constant time. `trickle` forwards small pieces. `silent` accepts data without forwarding
 * it. `disconnected` closes connections and accepts none.
 */
export type NetworkCondition = "normal" | "delay" | "slow" | "trickle" | "silent" | "disconnected";

/** A local TCP proxy between services and their dependencies. */
export type NetworkProxy = Awaited<ReturnType<typeof startNetworkProxy>>;

/** Maximum delay of a piece of data. A call has about ten pieces and still meets its deadline. */
const delayMaxMs = 100;
/**
 * Delays a call twice: the request and the response. This exceeds what operators accept, but no
 * timeout.
 */
const slowMs = 200;
const trickleBytesMax = 256;
const trickleEveryMs = 2;
const silentCheckMs = 20;

export type NetworkProxyOptions = {
  /**
   * Names the process at the other end of a connection, so that it can be cut off alone. Called only
   * while a process is cut off.
   */
  readonly peerOf?: (client: Socket) => string | undefined;
};

/**
 * Starts a proxy. The proxy calls `target` for each connection, because a restart may change the
 * address.
 */
export async function startNetworkProxy(
  target: () => NetConnectOpts,
  random: Random,
  { peerOf = () => undefined }: NetworkProxyOptions = {},
) {
  let condition: NetworkCondition = "normal";
  let cutOff: ReadonlySet<string> = new Set();
  const open = new Set<Socket>();
  const isSilent = (client: Socket): boolean =>
    condition === "silent" || (cutOff.size > 0 && cutOff.has(peerOf(client) ?? ""));
  const pump = async (from: Socket, to: Socket, client: Socket): Promise<void> => {
    for await (const chunk of from) {
      while (isSilent(client)) await pause(silentCheckMs);
      if (condition === "delay") await pause(random.below(delayMaxMs));
      if (condition === "slow") await pause(slowMs);
      for (const bit of condition === "trickle" ? bitsOf(chunk, random) : [chunk]) {
        if (condition === "trickle") await pause(trickleEveryMs);
        if (!to.write(bit)) await once(to, "drain");
      }
    }
    to.end();
  };
  const server = createServer((client) => {
    if (condition === "disconnected") {
      client.destroy();
      return;
    }
    const upstream = connect(target());
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        other.destroy();
      });
      // A broken connection is expected. Both halves of the proxied connection end together.
      socket.on("error", () => socket.destroy());
      pump(socket, other, client).catch(() => other.destroy());
    }
  });
  const port = await listenLocally(server);
  const disconnectAll = (): number => {
    const count = open.size;
    for (const socket of open) socket.destroy();
    return count;
  };
  return {
    port,
    set: (next: NetworkCondition) => {
      condition = next;
      if (next === "disconnected") disconnectAll();
    },
    /** Is silent for these peers alone. Replaces the previous ones. */
    cutOff: (peers: readonly string[]) => {
      cutOff = new Set(peers);
    },
    /** Ends existing connections. New ones follow the condition. */
    disconnectAll,
    close: async () => {
      condition = "normal";
      const closed = once(server, "close");
      server.close();
      disconnectAll();
      await closed;
    },
  };
}

function* bitsOf(chunk: Buffer, random: Random): Generator<Buffer> {
  for (let at = 0; at < chunk.length; ) {
    const length = 1 + random.below(trickleBytesMax);
    yield chunk.subarray(at, at + length);
    at += length;
  }
}

/** Returns a connection string's Unix socket or local port. */
export function addressOf(uri: string): NetConnectOpts {
  const [, place = ""] = /^\w+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri) ?? [];
  const text = decodeURIComponent(place);
  if (text.startsWith("/")) return { path: text };
  return { host: text.slice(0, text.lastIndexOf(":")), port: Number(text.split(":").at(-1)) };
}
