import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connectingTo } from "./connecting.ts";
import { renewablePools } from "./endpoint.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

/** A process that never replies, pools to it, and a pending call. */
async function hangingCall() {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pools = renewablePools(origin, connectingTo({ url: origin, key: origin }, undefined));
  const call = pools.current().request({ method: "GET", path: "/" });
  const failed = expect(call).rejects.toThrow();
  await once(server, "request");
  return { server, pools, failed };
}

it.each([
  ["renewed", "renew"],
  ["closed", "close"],
] as const)("pools that are %s and then destroyed leave no rejection behind", async (_how, end) => {
  const { server, pools, failed } = await hangingCall();
  pools[end]();
  pools.destroy();
  pools.close();
  pools.destroy();
  await failed;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
