import { execFile } from "node:child_process";
import { join } from "node:path";
import { createLifecycle } from "@disburse/chassis/admin/lifecycle.ts";
import { startAdminServer } from "@disburse/chassis/admin/server.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const script = join(import.meta.dirname, "../deploy/health.sh");
/** Only root may bind this port, so no server listens on it. */
const silentPort = "1";

let isReady = true;
let server: Awaited<ReturnType<typeof startAdminServer>>;
let port: string;
beforeAll(async () => {
  const lifecycle = createLifecycle(async () => isReady);
  lifecycle.started();
  const metrics = createMetrics("health");
  server = await startAdminServer({ host: "127.0.0.1", port: 0, metrics, lifecycle });
  ({ port } = new URL(server.url));
});
afterAll(() => server?.stop());

function check(environment: Record<string, string>): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    execFile("bash", [script], { env: environment }, (error) => resolve(error?.code ?? 0));
  });
}

it("says yes of a service that is ready", async () => {
  isReady = true;
  expect(await check({ ADMIN_PORT: port })).toBe(0);
});

it("says no of a service without its database, and where none listens", async () => {
  isReady = false;
  expect(await check({ ADMIN_PORT: port })).toBe(1);
  expect(await check({ ADMIN_PORT: silentPort })).toBe(1);
});
