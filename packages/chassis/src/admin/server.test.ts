import { afterEach, expect, it } from "vitest";
import { createMetrics } from "../metrics.ts";
import { createLifecycle } from "./lifecycle.ts";
import { startAdminServer } from "./server.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
});

async function serve() {
  const state = { canWork: true };
  const lifecycle = createLifecycle(async () => state.canWork);
  const metrics = createMetrics("test");
  const server = await startAdminServer({ host: "127.0.0.1", port: 0, metrics, lifecycle });
  ends.push(server.stop);
  const status = async (path: string) => (await fetch(`${server.url}${path}`)).status;
  const probes = () => Promise.all(["/livez", "/startupz", "/readyz"].map(status));
  return { state, lifecycle, metrics, server, status, probes };
}

it("answers three different questions", async () => {
  const { state, lifecycle, probes } = await serve();
  expect(await probes()).toEqual([200, 503, 503]);
  lifecycle.started();
  expect(await probes()).toEqual([200, 200, 200]);
  state.canWork = false;
  expect(await probes()).toEqual([200, 200, 503]);
  state.canWork = true;
  lifecycle.drain();
  expect(await probes()).toEqual([200, 200, 503]);
});

it("serves metrics, and nothing else", async () => {
  const { server, metrics, status } = await serve();
  metrics.counter("test_total", "A test's.", []).inc();
  const reply = await fetch(`${server.url}/metrics`);
  expect(reply.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await reply.text()).toContain('test_total{service="test"} 1');
  expect(await status("/")).toBe(404);
});

it("stops although a connection is kept", async () => {
  const { server, status } = await serve();
  await status("/livez");
  await server.stop();
  await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
});
