import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { payoutGauges } from "./gauges.ts";
import { unavailable } from "./test-neighbours.ts";
import { startTestPlatform, type TestPlatform, testRail } from "./test-platform.ts";

let platform: TestPlatform;
let read: () => Promise<(series: string) => number>;
beforeAll(async () => {
  platform = await startTestPlatform();
  const metrics = createMetrics("payout");
  const { database, worker } = platform;
  const gauges = payoutGauges({ database, metrics, clock: worker.clock, log: silentLog });
  read = async () => {
    await gauges();
    const text = (await metrics.text()).replaceAll(/\{service="payout"\}|,service="payout"/g, "");
    return (series) => {
      const found = text.split("\n").find((line) => line.startsWith(`${series} `));
      return Number(found?.split(" ")[1]);
    };
  };
});
afterAll(() => platform.stop());

it("shows events to publish, open payouts by stage, and exceptions", async () => {
  const unknown = async () => ({ status: { kind: "unknown" } }) as const;
  platform.rails.current = testRail({ submit: unknown, query: unknown });
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  const none = await read();
  for (const series of ["payout_outbox_payouts", "payout_outbox_oldest_seconds"]) {
    expect(none(`disburse_${series}`)).toBe(0);
  }
  expect(none('disburse_payouts_open{stage="queued"}')).toBe(0);
  expect(none('disburse_payout_exceptions{kind="unknown"}')).toBe(0);
  await platform.execute(accountId, "first");
  platform.world.offsetMs = 60_000;
  await platform.execute(accountId, "second");
  const queued = await read();
  expect(queued("disburse_payout_outbox_payouts")).toBe(2);
  expect(queued("disburse_payout_outbox_oldest_seconds")).toBeGreaterThanOrEqual(60);
  expect(queued('disburse_payouts_open{stage="queued"}')).toBe(2);
  expect(queued('disburse_payout_oldest_open_seconds{stage="queued"}')).toBeGreaterThanOrEqual(60);
  await platform.work();
  await platform.outbox.published(await platform.outbox.due(10));
  const worked = await read();
  expect(worked("disburse_payout_outbox_payouts")).toBe(0);
  expect(worked('disburse_payouts_open{stage="queued"}')).toBe(0);
  expect(worked('disburse_payouts_open{stage="unknown"}')).toBe(2);
  expect(worked('disburse_payout_exceptions{kind="unknown"}')).toBe(2);
  expect(worked('disburse_payout_exceptions{kind="stuck"}')).toBe(0);
});

it("shows which rails are paused", async () => {
  const pause = async (action: "rail.paused" | "rail.resumed", operation: string) => {
    const entry = { action, subject: "sandbox", detail: "holiday", person: "ada", operation };
    const { resolving, states } = platform;
    await resolving.audit.append({ ...entry, at: new Date() });
    const last = await resolving.audit.lastOf("sandbox");
    if (last !== undefined) await states.follow(last);
  };
  await pause("rail.paused", "op-pause");
  expect((await read())('disburse_rail_paused{rail="sandbox"}')).toBe(1);
  await pause("rail.resumed", "op-resume");
  expect((await read())('disburse_rail_paused{rail="sandbox"}')).toBe(0);
});

it("shows holds without a payout once no execute can still make it", async () => {
  platform.world.offsetMs = 0;
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  // Those of payouts are closed by the sweep.
  await platform.database.db.collection("accounts").updateMany({}, { $set: { open_holds: [] } });
  platform.faults.claim = () => {
    throw unavailable();
  };
  await expect(platform.execute(accountId, "order")).rejects.toThrow();
  expect((await read())("disburse_orphaned_holds")).toBe(0);
  platform.world.offsetMs = 6_000;
  expect((await read())("disburse_orphaned_holds")).toBe(1);
  platform.faults.claim = () => undefined;
  await platform.sweep();
  await platform.sweep();
  expect((await read())("disburse_orphaned_holds")).toBe(0);
});
