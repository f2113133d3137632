import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { callContext } from "@disburse/chassis/call-context.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { type RpcServer, startRpcServer } from "@disburse/chassis/rpc/server.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { assertPeppers } from "./keys/peppers.ts";
import { readPeppers } from "./keys/rules/peppers.ts";
import { openKeys } from "./keys/store.ts";
import { start } from "./main.ts";
import { mutation, startTestGateway, type TestGateway } from "./test-gateway.ts";
import type { GatewayDeps } from "./wiring.ts";

const contexts: unknown[] = [];
let payout: RpcServer;
let gateway: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  payout = await startRpcServer({
    ...{ host: "127.0.0.1", port: 0, verify: testTrust.verify("payout"), log: silentLog },
    metrics: createMetrics("payout"),
    services: [PayoutService],
    ready: async () => true,
    routes: (router) =>
      router.service(PayoutService, {
        listAccounts: () => {
          contexts.push(callContext());
          return { accounts: [] };
        },
      }),
  });
  const database = freshDatabase("gateway");
  const environment = {
    ...{ DISBURSE_MODE: "sandbox", PORT: "0", RPC_PORT: "0", LOG_LEVEL: "silent" },
    ...{ MONGODB_URI: mongodbUri(database), DATABASE: database, ...testTrust.settings("gateway") },
    API_KEY_PEPPER: `p1:${Buffer.alloc(32, 1).toString("base64")}`,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 2).toString("base64")}`,
    ...{ BENEFICIARY_URL: payout.url, QUOTE_URL: payout.url },
    ...{ PAYOUT_URL: payout.url, NOTIFIER_URL: payout.url },
  };
  await expect(start(environment)).rejects.toThrow("lacks migrations: 1");
  await start.migrate(environment);
  gateway = await start({ ...environment, SHUTDOWN_DELAY_SECONDS: "1" });
});
afterAll(async () => {
  await gateway.stop();
  await payout.stop();
});

it("accepts a key created on its internal port, and calls the owning service", async () => {
  const { rpc, close } = connectService(KeyService, gateway.url, {
    identity: testTrust.person("test"),
  });
  const request = { mutation: mutation(), merchantId: newId("merchant") };
  const { secret } = await rpc.createKey(request);
  close();
  const headers = { authorization: `Bearer ${secret}`, "x-request-id": "req-1" };
  const reply = await fetch(`${gateway.publicUrl}/api/v1/transfer/accounts`, { headers });
  expect(reply.status).toBe(200);
  expect(contexts).toMatchObject([{ requestId: "req-1" }]);
  const [context] = contexts as { deadlineMs: number }[];
  const leftMs = (context?.deadlineMs ?? 0) - Date.now();
  expect(leftMs).toBeGreaterThan(5_000);
  expect(leftMs).toBeLessThanOrEqual(9_950);
});

it("expires keys by the database's clock, not by its own", async () => {
  const { rpc, close } = connectService(KeyService, gateway.url, {
    identity: testTrust.person("test"),
  });
  const expiresAt = timestampFromDate(new Date(Date.now() + 30_000));
  const request = { mutation: mutation(), merchantId: newId("merchant"), expiresAt };
  const { secret } = await rpc.createKey(request);
  close();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  const headers = { authorization: `Bearer ${secret}` };
  const reply = await fetch(`${gateway.publicUrl}/api/v1/transfer/accounts`, { headers });
  vi.useRealTimers();
  expect(reply.status).toBe(200);
});

it("is ready whether or not the services behind it are", async () => {
  await payout.stop();
  for (const url of [`${gateway.publicUrl}/readyz`, `${gateway.adminUrl}/readyz`]) {
    expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  }
});

it("names the settings that are missing", async () => {
  await expect(start({ PORT: "8080", TRUSTED_PROXIES: "x" })).rejects.toThrow(
    /RPC_PORT.*API_KEY_PEPPER.*PAYOUT_URL.*TRUSTED_PROXIES.*ENCRYPTION_KEYS/s,
  );
});

it("asks its clients to connect elsewhere before it stops, and serves them until then", async () => {
  const ask = (path: string) => fetch(`${gateway.publicUrl}${path}`);
  expect((await ask("/healthz")).headers.get("connection")).toBe("keep-alive");
  const stopped = gateway.stop();
  const [health, ready] = [await ask("/healthz"), await ask("/readyz")];
  expect([health.status, health.headers.get("connection")]).toEqual([200, "close"]);
  expect(ready.status).toBe(503);
  await stopped;
  await expect(ask("/healthz")).rejects.toThrow();
});

const pepper = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const [first, second] = [`p1:${pepper(1)}`, `p2:${pepper(2)}`];
const gateways: TestGateway[] = [];

/** Starts a gateway with these peppers on the database of the first one. */
async function startWith(peppers: string, more: Partial<GatewayDeps> = {}): Promise<TestGateway> {
  const [oldest] = gateways;
  const db = oldest === undefined ? {} : { db: oldest.db };
  const started = await startTestGateway({ ...db, ...more, peppers: readPeppers(peppers) });
  started.fakes.payout.listAccounts = () => ({ accounts: [] });
  gateways.push(started);
  return started;
}
afterAll(async () => {
  for (const each of gateways.toReversed()) await each.stop();
});

const status = async (gateway: TestGateway, key: string) =>
  (await gateway.ask({ path: "/api/v1/transfer/accounts", key })).status;
/** Returns the metric of keys under an older pepper. */
const left = async (gateway: TestGateway) => {
  await gateway.gateway.sweep();
  const text = await gateway.metrics.text();
  return Number(/^disburse_api_keys_under_older_peppers\{.*\} (\d+)$/m.exec(text)?.[1]);
};

it("rotates its pepper: appended, moved to the front, rehashed on use, and removed", async () => {
  const old = await startWith(first);
  const [used, unused] = [await old.merchant(), await old.merchant()];
  const keys = openKeys(old.db);
  const soon = old.time.nowMs + 60_000;
  await old.merchant({ expiresAt: timestampFromMs(soon) });
  const behind = await startWith(`${first},${second}`);
  expect([await status(behind, used.key), await left(behind)]).toEqual([200, 0]);
  const front = await startWith(`${second},${first}`);
  expect(await left(front)).toBe(3);
  front.time.nowMs = soon;
  expect(await left(front)).toBe(2);
  const fresh = await front.merchant();
  expect(await status(behind, fresh.key)).toBe(200);
  await Promise.all([1, 2, 3].map(async () => expect(await status(front, used.key)).toBe(200)));
  await vi.waitFor(
    async () => expect((await keys.findOne({ _id: used.keyId }))?.pepper).toBe("p2"),
    10_000,
  );
  for (const each of [behind, front]) {
    await vi.waitFor(async () => expect(await status(each, used.key)).toBe(200), 10_000);
  }
  expect(await left(front)).toBe(1);
  const clock = { now: () => new Date(soon) };
  const retired = { keys, peppers: readPeppers(second), clock };
  await expect(assertPeppers(retired)).rejects.toThrow(
    "settings: API_KEY_PEPPER: 1 API keys are hashed with a missing pepper, such as p1: add all missing peppers again",
  );
  await front.keys.revokeKey({ mutation: mutation(), keyId: unused.keyId });
  expect(await left(front)).toBe(0);
  await assertPeppers(retired);
  const alone = await startWith(second, { clock });
  expect([await status(alone, used.key), await status(alone, fresh.key)]).toEqual([200, 200]);
});
