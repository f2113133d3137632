import { once } from "node:events";
import fs from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { engineAddress, freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { freePort } from "@disburse/testkit/ports.ts";
import { Db } from "mongodb";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { generateServiceKey, trustedKeysText } from "../identity/keys.ts";
import { createIndexes, type Migration } from "../mongo/migrations.ts";
import { connectService } from "../rpc/client.ts";
import { type Environment, readSettings } from "../settings.ts";
import { commonSettings, databaseSetting } from "./settings.ts";
import { type RunningService, serviceStart } from "./start.ts";

const settings = { ...commonSettings, DATABASE: databaseSetting("test") };
const migrations: readonly Migration[] = [
  {
    name: "one index",
    up: (db) => createIndexes(db, { things: [{ key: { a: 1 }, name: "a" }] }),
  },
];
const start = serviceStart(
  "test",
  (environment) => readSettings(environment, settings),
  migrations,
  ({ serve }) => serve({ services: [], routes: () => undefined }),
);
const { privateText, publicJwk } = generateServiceKey("test");
const name = freshDatabase("service");
const environment: Environment = {
  ...{ DISBURSE_MODE: "sandbox", PORT: "0", LOG_LEVEL: "silent" },
  ...{ SERVICE_KEY: privateText, TRUSTED_KEYS: trustedKeysText([publicJwk]) },
  DATABASE: name,
};

const ends: (() => Promise<unknown> | unknown)[] = [];
beforeAll(() => start.migrate({ ...environment, MONGODB_URI: mongodbUri(name) }));
afterEach(async () => {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
});

async function run(more: Environment): Promise<RunningService> {
  const service = await start({ ...environment, MONGODB_URI: mongodbUri(name), ...more });
  ends.push(service.stop);
  return service;
}

/** The status of a probe's answer; 0 if nothing listens. */
const probe = (url: string, path: string): Promise<number> =>
  fetch(`${url}${path}`).then(
    ({ status }) => status,
    () => 0,
  );

/** Forwards to the run's engine from its own port. */
async function startProxy(port: number) {
  const address = await engineAddress();
  const server = createServer((socket) => {
    const onward = connect(address);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => end.destroy());
    ends.push(() => socket.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

it("runs and waits while its database is unreachable, and starts with it", async () => {
  const [adminPort, databasePort] = [await freePort(), await freePort()];
  const starting = run({
    ADMIN_PORT: String(adminPort),
    MONGODB_URI: `mongodb://127.0.0.1:${databasePort}/?directConnection=true&serverSelectionTimeoutMS=200`,
  });
  const admin = `http://127.0.0.1:${adminPort}`;
  await expect.poll(() => probe(admin, "/livez")).toBe(200);
  expect(await probe(admin, "/startupz")).toBe(503);
  expect(await probe(admin, "/readyz")).toBe(503);
  const scraped = await fetch(`${admin}/metrics`).then((reply) => reply.text());
  expect(scraped).toContain('disburse_ready{service="test"} 0');
  await startProxy(databasePort);
  await starting;
  expect(await probe(admin, "/startupz")).toBe(200);
  expect(await probe(admin, "/readyz")).toBe(200);
}, 30_000);

it("refuses a database that lacks a migration", async () => {
  const other = freshDatabase("service");
  const starting = run({ DATABASE: other, MONGODB_URI: mongodbUri(other) });
  await expect(starting).rejects.toThrow("lacks migrations: 1");
});

it.each([
  ["6.0", 17, 1],
  ["8.0", 25, 0],
])(
  "warns once of a database without bulk writes: MongoDB %s",
  async (_version, maxWireVersion, lines) => {
    const written = vi
      .spyOn(fs, "writeSync")
      .mockImplementation((_fd, text) => String(text).length);
    vi.spyOn(Db.prototype, "command").mockResolvedValueOnce({ maxWireVersion });
    const service = await run({ LOG_LEVEL: "warn" });
    expect(await probe(service.adminUrl, "/readyz")).toBe(200);
    const warnings = written.mock.calls.filter(([, text]) => String(text).includes("MongoDB 8.0"));
    expect(warnings).toHaveLength(lines);
  },
);

it("is not ready from SIGTERM on, and serves until its delay is over", async () => {
  const service = await run({ SHUTDOWN_DELAY_SECONDS: "1.5" });
  const { rpc, close } = connectService(Health, service.url, { identity: () => "" });
  ends.push(close);
  expect((await rpc.check({})).status).toBe(Status.SERVING);
  expect(service.stopTimeoutMs).toBe(31_500);
  const began = performance.now();
  const stopped = service.stop();
  expect(await probe(service.adminUrl, "/readyz")).toBe(503);
  expect(await probe(service.adminUrl, "/livez")).toBe(200);
  // Two calls over one client: the first connection is closed after its answer.
  expect((await rpc.check({})).status).toBe(Status.NOT_SERVING);
  expect((await rpc.check({})).status).toBe(Status.NOT_SERVING);
  const reply = await fetch(service.url);
  expect(reply.headers.get("connection")).toBe("close");
  await stopped;
  expect(performance.now() - began).toBeGreaterThan(1_400);
  await expect(rpc.check({})).rejects.toThrow("does not respond");
  expect(await probe(service.adminUrl, "/livez")).toBe(0);
});

it("shows in its metrics whether it is ready, and its connections to the database", async () => {
  const service = await run({});
  const series = async (name: string) => {
    const text = await fetch(`${service.adminUrl}/metrics`).then((reply) => reply.text());
    return Number(new RegExp(`^disburse_${name} (.*)$`, "m").exec(text)?.[1]);
  };
  expect(await series('ready{service="test"}')).toBe(1);
  const commands = 'db_command_duration_seconds_count{service="test"}';
  const before = await series(commands);
  expect(before).toBeGreaterThan(0);
  expect(await series('db_pool_wait_seconds_count{service="test"}')).toBeGreaterThanOrEqual(before);
  // Each readiness check queries the database, at most once a second.
  await expect.poll(() => series(commands), { timeout: 5_000 }).toBeGreaterThan(before);
  expect(await series('db_pool_connections{state="idle",service="test"}')).toBeGreaterThan(0);
});
