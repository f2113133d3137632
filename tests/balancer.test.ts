import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createDatabaseCheck, createLifecycle } from "@disburse/chassis/admin/lifecycle.ts";
import { startAdminServer } from "@disburse/chassis/admin/server.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { errorTable } from "@disburse/kernel/errors.ts";
import { afterEach, describe, expect, it, vi } from "vitest";

const config = readFileSync(join(import.meta.dirname, "../deploy/balancer/haproxy.cfg"), "utf8");
/** HAProxy of Debian's package. Without it, the tests that run the balancer are skipped. */
const isThere = spawnSync("haproxy", ["-v"]).status === 0;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
});

/** A database whose pings hang while it is paused. */
function pausable() {
  let resumed = Promise.withResolvers<void>();
  resumed.resolve();
  return {
    ping: () => resumed.promise.then(() => true),
    pause: (): void => {
      resumed = Promise.withResolvers();
    },
    resume: (): void => resumed.resolve(),
  };
}

/** A gateway: its public port, and the admin port that the balancer polls. */
async function startGateway(ping: () => Promise<boolean>, answer = true) {
  const lifecycle = createLifecycle(createDatabaseCheck(ping));
  lifecycle.started();
  const metrics = createMetrics("gateway");
  const admin = await startAdminServer({ host: "127.0.0.1", port: 0, metrics, lifecycle });
  ends.push(admin.stop);
  const gateway = await serveLocally(({ headers }, response) => {
    if (!answer) return response.destroy();
    return response.end(JSON.stringify({ seen: headers["x-request-id"] }));
  });
  ends.push(gateway.close);
  return { port: new URL(gateway.url).port, adminPort: new URL(admin.url).port };
}

/** Starts HAProxy with the shipped configuration in front of these gateways. */
async function startBalancer(gateways: readonly { port: string; adminPort: string }[]) {
  const [port = 0, operators = 0] = await freePorts(2);
  const servers = gateways.map(
    (each, at) => `  server gateway${at} 127.0.0.1:${each.port} check port ${each.adminPort}`,
  );
  const text = config
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("bind :8081", `bind 127.0.0.1:${operators}`)
    .replace(/^resolvers docker\n( .*\n)+/m, "")
    .replaceAll(/^ {2}server-template .*$/gm, servers.join("\n"));
  const folder = mkdtempSync(join(tmpdir(), "balancer-"));
  writeFileSync(join(folder, "haproxy.cfg"), text);
  // As in docker-compose.yml: a master with a worker, so that it can be reloaded.
  const master: ChildProcess = spawn("haproxy", ["-W", "-db", "-f", join(folder, "haproxy.cfg")]);
  ends.push(async () => {
    const gone = once(master, "exit");
    master.kill("SIGTERM");
    await gone;
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/`;
  await vi.waitFor(() => fetch(url), { timeout: 20_000, interval: 100 });
  return { url, reload: () => master.kill("SIGUSR2") };
}

describe("deploy/balancer", () => {
  it("answers errors of its own as the contract has them", () => {
    const errors = [...config.matchAll(/http-error status (\d+) .* lf-string '(.*)' hdr (.*)$/gm)];
    expect(errors.map(([, status]) => status)).toEqual(["500", "502", "503", "504"]);
    for (const [, status, body = "", headers] of errors) {
      const { code, message, ...rest } = JSON.parse(body);
      const row = errorTable[code as keyof typeof errorTable];
      expect([message, rest]).toEqual([row.message, {}]);
      // The client gets 503 in both cases.
      expect(row.status).toBe(["502", "504"].includes(status ?? "") ? 503 : Number(status));
      expect(headers).toContain("X-Request-Id");
      expect(headers?.includes("Retry-After 1 ")).toBe(row.status === 503);
    }
  });

  it.skipIf(!isThere)(
    "says 503 in JSON where no gateway is ready, or one breaks off",
    async () => {
      const broken = await startGateway(async () => true, false);
      for (const gateways of [[], [broken]]) {
        const { url } = await startBalancer(gateways);
        const answer = await vi.waitFor(
          async () => {
            const sent = await fetch(url, { headers: { "x-request-id": "req-1" } });
            expect(sent.status).toBe(503);
            return sent;
          },
          { timeout: 10_000 },
        );
        const { code } = (await answer.json()) as { code: string };
        expect(code).toBe("SERVICE_UNAVAILABLE");
        expect(answer.headers.get("content-type")).toBe("application/json");
        expect(answer.headers.get("retry-after")).toBe("1");
        expect(answer.headers.get("x-request-id")).toBe("req-1");
        const anonymous = await fetch(url, { headers: { "x-request-id": "not sane" } });
        expect(anonymous.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      }
    },
    60_000,
  );

  it.skipIf(!isThere)(
    "lets no request fail while the database pauses for 4 s",
    async () => {
      const database = pausable();
      const gateways = [await startGateway(database.ping), await startGateway(database.ping)];
      const { url } = await startBalancer(gateways);
      await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), 20_000);
      const failures: number[] = [];
      const ask = async (ms: number) => {
        for (const until = performance.now() + ms; performance.now() < until; await pause(200)) {
          const { status } = await fetch(url);
          if (status !== 200) failures.push(status);
        }
      };
      await ask(1_000);
      database.pause();
      await ask(4_000);
      database.resume();
      await ask(4_000);
      expect(failures).toEqual([]);
    },
    60_000,
  );

  it.skipIf(!isThere)(
    "serves the next request of an idle connection after a reload, and then ends it",
    async () => {
      const { url, reload } = await startBalancer([await startGateway(async () => true)]);
      await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), 20_000);
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      let received = "";
      socket.setEncoding("utf8").on("data", (text: string) => (received += text));
      const ended = once(socket, "end");
      const ask = () => socket.write("GET / HTTP/1.1\r\nHost: gateway\r\n\r\n");
      ask();
      await vi.waitFor(() => expect(received).toContain("seen"));
      received = "";
      reload();
      // The former process closed the connection within this time.
      await pause(1_000);
      ask();
      await ended;
      expect(received).toMatch(/^HTTP\/1.1 200 /);
      expect(received.toLowerCase()).toContain("connection: close");
    },
    60_000,
  );
});
