import { execFile } from "node:child_process";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { type RpcServer, startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const script = join(import.meta.dirname, "../deploy/health.mjs");
/** No server listens there: a port that only root may bind. */
const silentPort = "1";

let isReady = true;
let server: RpcServer;
let port: string;
beforeAll(async () => {
  server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    serviceToken: "x".repeat(32),
    log: silentLog,
    metrics: createMetrics("health"),
    services: [],
    routes: () => undefined,
    ready: async () => isReady,
  });
  ({ port } = new URL(server.url));
});
afterAll(() => server?.stop());

/** The exit code of the image's health check. */
function check(environment: Record<string, string>): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env: environment }, (error) =>
      resolve(error?.code ?? 0),
    );
  });
}

it("says yes of a service that serves, on its RPC port where it has two", async () => {
  isReady = true;
  expect(await check({ PORT: port })).toBe(0);
  expect(await check({ PORT: silentPort, RPC_PORT: port })).toBe(0);
});

it("says no of a service without its database, and where nobody listens", async () => {
  isReady = false;
  expect(await check({ PORT: port })).toBe(1);
  expect(await check({ PORT: silentPort })).toBe(1);
});
