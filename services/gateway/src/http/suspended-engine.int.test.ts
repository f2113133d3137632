import { silentLog } from "@disburse/chassis/log.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { migrate } from "@disburse/chassis/mongo/migrations.ts";
import { startOwnEngine } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { type Ask, startTestGateway, type TestGateway } from "../test-gateway.ts";

let engine: Awaited<ReturnType<typeof startOwnEngine>>;
let database: Database;
let gateway: TestGateway;

beforeAll(async () => {
  engine = await startOwnEngine();
  database = await connectDatabase(engine.uri("gateway"), "gateway");
  await migrate(database, migrations, silentLog);
  gateway = await startTestGateway({ db: database.db });
});
afterAll(async () => {
  await gateway?.stop();
  await database?.close();
  await engine?.stop();
});

/** The deadline of a request, and time for a busy machine to send the response. */
const answerMaxMs = 10_500;

it("sends each response by the deadline, and refuses no repeat once the engine responds", async () => {
  const { key } = await gateway.merchant();
  const unread = await gateway.merchant();
  const loop = gateway.gateway.startSettling();
  const started = Promise.withResolvers<void>();
  const suspended = Promise.withResolvers<void>();
  gateway.fakes.notifier.redeliver = async ({ deliveryId }) => {
    if (deliveryId === "whd_running") {
      started.resolve();
      await suspended.promise;
    }
    return { delivery: { id: deliveryId } };
  };
  gateway.fakes.payout.executePayout = () => ({ payoutId: "po_1" });
  const ask = async (request: Ask) => {
    const startedAt = performance.now();
    const headers = { "idempotency-key": "k" };
    const { status, headers: sent } = await gateway.ask({ key, ...request, headers });
    return { status, retryAfter: sent["retry-after"], tookMs: performance.now() - startedAt };
  };
  const redeliver = (id: string) => ({
    path: `/api/v1/webhooks/deliveries/${id}/redeliver`,
    body: "{}",
  });
  const running = ask(redeliver("whd_running"));
  await started.promise;
  engine.suspend();
  suspended.resolve();
  const replies = await Promise.all([
    running,
    ask({ path: "/api/v1/transfer/execute", body: '{"quote_id":"qt_1"}' }),
    ask({ path: "/api/v1/keys", key: unread.key }),
    ask({ path: "/api/v1/keys" }),
    ask(redeliver("whd_new")),
    ask({ path: "/api/v1/keys", body: '{"scopes":["payout:read"]}' }),
  ]);
  expect(replies.map(({ status, retryAfter }) => [status, retryAfter])).toEqual([
    ...[
      [200, undefined],
      [200, undefined],
    ],
    ...Array.from({ length: 4 }, () => [503, "1"]),
  ]);
  for (const { tookMs } of replies) expect(tookMs).toBeLessThan(answerMaxMs);
  engine.resume();
  const resumedAt = performance.now();
  for (const id of ["whd_running", "whd_new"]) {
    await expect.poll(async () => (await ask(redeliver(id))).status).toBe(200);
  }
  expect(performance.now() - resumedAt).toBeLessThan(3_000);
  await loop.stop();
});
