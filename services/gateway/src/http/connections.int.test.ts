import { createConnection, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";
import type { ConnectionLimits } from "./connections.ts";

let gateway: TestGateway;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway.stop();
});

const serve = async (limits: Partial<ConnectionLimits>, proxies: string[] = []) => {
  gateway = await startTestGateway({ proxies }, undefined, limits);
};

/** Opens a connection. Returns whether it is served. */
function open(keep = true): Promise<boolean> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve) => {
    const socket = createConnection(Number(port), hostname);
    sockets.push(socket);
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
    socket.once("data", () => resolve(true));
    const close = keep ? "" : "Connection: close\r\n";
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n${close}\r\n`);
  });
}

async function refusedBy(limit: string): Promise<number> {
  const line = new RegExp(`refused_total{limit="${limit}".*} (\\d+)`);
  return Number(line.exec(await gateway.metrics.text())?.[1] ?? 0);
}

it("refuses connections past those of one address, until one of them has closed", async () => {
  await serve({ maxPerAddress: 3 });
  expect(await Promise.all([open(), open(), open()])).toEqual([true, true, true]);
  expect([await open(), await open()]).toEqual([false, false]);
  expect([await refusedBy("address"), await refusedBy("all")]).toEqual([2, 0]);
  sockets[0]?.destroy();
  await expect.poll(() => open()).toBe(true);
  expect(await open()).toBe(false);
});

it("counts connections of our own proxies only in the total", async () => {
  await serve({ maxPerAddress: 1 }, ["127.0.0.1"]);
  expect(await Promise.all([open(), open(), open()])).toEqual([true, true, true]);
  expect(await refusedBy("address")).toBe(0);
  expect(await gateway.metrics.text()).toMatch(/disburse_http_connections{.*} 3\n/);
});

it("refuses connections past all, and idle ones give way", async () => {
  await serve({ max: 3 });
  expect(await Promise.all([open(), open(), open()])).toEqual([true, true, true]);
  expect(await open()).toBe(false);
  expect(await refusedBy("all")).toBe(1);
  await expect.poll(() => open(false)).toBe(true);
});

it("one merchant's open requests are a share of the connections; another is not refused", async () => {
  gateway = await startTestGateway({ requestsMax: 2 });
  const waiting: (() => void)[] = [];
  gateway.fakes.payout.listAccounts = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { accounts: [] };
  };
  const [hostile, other] = await Promise.all([gateway.merchant(), gateway.merchant()]);
  const ask = (key: string) => gateway.ask({ key, path: "/api/v1/transfer/accounts" });
  const open = [ask(hostile.key), ask(hostile.key)];
  await expect.poll(() => waiting.length).toBe(2);
  expect(await ask(hostile.key)).toMatchObject({ status: 429, json: { code: "RATE_LIMITED" } });
  const beside = ask(other.key);
  await expect.poll(() => waiting.length).toBe(3);
  for (const answer of waiting) answer();
  const all = await Promise.all([...open, beside]);
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
  const later = ask(hostile.key);
  await expect.poll(() => waiting.length).toBe(4);
  waiting[3]?.();
  expect((await later).status).toBe(200);
});
