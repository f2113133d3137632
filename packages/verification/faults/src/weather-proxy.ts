import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Socket,
} from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "@disburse/harness/random.ts";

/**
 * How a connection behaves: `delay` holds each piece back, `drip` hands it on in small bits, `dark`
 * takes everything and hands nothing on, `cut` has neither old connections nor new ones.
 */
export type Weather = "clear" | "delay" | "drip" | "dark" | "cut";

/** A TCP proxy on this machine between services and what they depend on. */
export type WeatherProxy = {
  readonly port: number;
  readonly set: (weather: Weather) => void;
  /** Ends the connections that there are; new ones are as the weather says. */
  readonly cutAll: () => number;
  readonly close: () => Promise<void>;
};

/** A piece waits this long at most; a call of some ten pieces stays within its deadline. */
const delayMaxMs = 100;
/** Of a drip: at most this many bytes, then a moment of nothing. */
const dripBytesMax = 256;
const dripEveryMs = 2;
const darkCheckMs = 20;

/** Starts a proxy; `target` is asked for each connection, for it may move with a restart. */
export async function startWeatherProxy(
  target: () => NetConnectOpts,
  random: Random,
): Promise<WeatherProxy> {
  let weather: Weather = "clear";
  const open = new Set<Socket>();
  const pump = async (from: Socket, to: Socket): Promise<void> => {
    for await (const chunk of from) {
      while (weather === "dark") await pause(darkCheckMs);
      if (weather === "delay") await pause(random.below(delayMaxMs));
      for (const bit of weather === "drip" ? bitsOf(chunk, random) : [chunk]) {
        if (weather === "drip") await pause(dripEveryMs);
        if (!to.write(bit)) await once(to, "drain");
      }
    }
    to.end();
  };
  const server = createServer((client) => {
    if (weather === "cut") {
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
      // A connection that breaks is what this is for; its other half goes with it.
      socket.on("error", () => socket.destroy());
      pump(socket, other).catch(() => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cutAll = (): number => {
    const count = open.size;
    for (const socket of open) socket.destroy();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      weather = next;
      if (next === "cut") cutAll();
    },
    cutAll,
    close: async () => {
      weather = "clear";
      const closed = once(server, "close");
      server.close();
      cutAll();
      await closed;
    },
  };
}

function* bitsOf(chunk: Buffer, random: Random): Generator<Buffer> {
  for (let at = 0; at < chunk.length; ) {
    const length = 1 + random.below(dripBytesMax);
    yield chunk.subarray(at, at + length);
    at += length;
  }
}

/** Where a connection string leads: a Unix socket or a port of this machine. */
export function addressOf(uri: string): NetConnectOpts {
  const [, place = ""] = /^\w+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri) ?? [];
  const text = decodeURIComponent(place);
  if (text.startsWith("/")) return { path: text };
  return { host: text.slice(0, text.lastIndexOf(":")), port: Number(text.split(":").at(-1)) };
}
