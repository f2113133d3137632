import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { payoutGauges, startPayoutGauges } from "./gauges.ts";
import type { PayoutDocument } from "./payouts/document.ts";
import { unavailable } from "./test-neighbours.ts";
import { startTestPlatform, type TestPlatform, testRail } from "./test-platform.ts";

const start = new Date("2026-03-01T10:00:00Z");
let platform: TestPlatform;
/** Reads the gauges and returns the nonzero lines. */
let read: () => Promise<string[]>;
let exposition: () => Promise<string>;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  platform = await startTestPlatform();
  const metrics = createMetrics("payout");
  const { database, parts: worker } = platform;
  const { clock } = worker;
  const rails = [{ name: "bank-usd", overdueAfterMs: 96 * 3_600_000 }, { name: "sandbox" }];
  const gauges = payoutGauges({
    database,
    ledger: platform.ledger,
    rails,
    metrics,
    clock,
    log: silentLog,
  });
  exposition = metrics.text;
  read = async () => {
    await gauges();
    const text = (await metrics.text()).replaceAll(/\{service="payout"\}|,service="payout"/g, "");
    return text
      .split("\n")
      .filter((line) => line.startsWith("disburse_") && !/ 0$|_overdue_after_/.test(line));
  };
});
afterAll(async () => {
  vi.useRealTimers();
  await platform.stop();
});
beforeEach(() => vi.setSystemTime(start));

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it("shows events to publish, open payouts by stage, and exceptions, until they are done", async () => {
  const { payouts } = platform;
  const status = { kind: "unknown" } as { kind: "unknown" } | { kind: "rejected" };
  const answer = async () => ({ status });
  platform.rails.current = testRail({ submit: answer, query: answer });
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  expect(await read()).toEqual([]);
  const first = await platform.execute(accountId, "first");
  pass(60_000);
  await platform.execute(accountId, "second");
  expect(await read()).toEqual([
    "disburse_payout_outbox_payouts 2",
    "disburse_payout_outbox_oldest_seconds 60",
    'disburse_payouts_open{stage="queued"} 2',
    'disburse_payout_oldest_open_seconds{stage="queued",rail=""} 60',
  ]);
  await platform.work();
  await platform.outbox.published(await platform.outbox.due(10));
  pass(500);
  expect(await read()).toEqual([
    'disburse_payouts_open{stage="unknown"} 2',
    'disburse_payout_oldest_open_seconds{stage="unknown",rail="scripted"} 60.5',
    'disburse_payout_exceptions{kind="unknown"} 2',
  ]);
  const approval = { reasons: [], digest: "", expires_at: start };
  const decision = { as: "approved", at: new Date(Date.now() - 1_000) } as const;
  await payouts.updateMany({}, { $set: { approval: { ...approval, decision } as never } });
  expect((await read())[1]).toBe(
    'disburse_payout_oldest_open_seconds{stage="unknown",rail="scripted"} 1',
  );
  await payouts.updateMany({}, { $unset: { approval: "" } });
  await payouts.updateOne({ _id: first }, { $set: { "exception.kind": "stuck" } });
  expect((await read()).slice(2)).toEqual([
    'disburse_payout_exceptions{kind="stuck"} 1',
    'disburse_payout_exceptions{kind="unknown"} 1',
  ]);
  // Finished payouts are not open, even if their rail is still polled.
  await payouts.updateMany({}, { $set: { status: "succeeded" }, $unset: { exception: "" } });
  expect(await read()).toEqual([]);
});

it("shows the oldest of each rail, and when one is overdue by its rail's own setting", async () => {
  const { payouts } = platform;
  const open = (id: string, rail: string, minutes: number) => ({
    ...{ _id: id, rail, status: "initiated", progress: { stage: "processing" } },
    operations: [{ id, content: "" }],
    ...{ work_due_at: start, created_at: new Date(start.getTime() - minutes * 60_000) },
  });
  const all = [open("po_1", "bank-usd", 5), open("po_2", "bank-usd", 9), open("po_3", "other", 1)];
  await payouts.insertMany(all as unknown as PayoutDocument[]);
  // The database groups them in no order.
  expect((await read()).toSorted()).toEqual([
    'disburse_payout_oldest_open_seconds{stage="processing",rail="bank-usd"} 540',
    'disburse_payout_oldest_open_seconds{stage="processing",rail="other"} 60',
    'disburse_payouts_open{stage="processing"} 3',
  ]);
  await payouts.deleteMany({ rail: "bank-usd" });
  const after = await read();
  expect(after.join()).not.toContain("bank-usd");
  await payouts.deleteMany({});
  const text = await exposition();
  expect(text).toContain(
    'disburse_payout_overdue_after_seconds{rail="bank-usd",service="payout"} 345600',
  );
  expect(text).not.toContain('disburse_payout_overdue_after_seconds{rail="sandbox"');
});

it("shows no more than 10,000 payouts of a kind", async () => {
  const many = Array.from({ length: 10_001 }, (_each, at) => ({
    ...{ _id: `po_${at}`, status: "initiated", progress: { stage: "queued" } },
    operations: [{ id: `op_${at}`, content: "" }],
    ...{ work_due_at: start, created_at: start, outbox: [{ at: start }] },
    exception: { kind: "stuck", since: start },
  }));
  for (let from = 0; from < many.length; from += 1_000) {
    const some = many.slice(from, from + 1_000) as unknown as PayoutDocument[];
    await platform.payouts.insertMany(some);
  }
  expect(await read()).toEqual([
    "disburse_payout_outbox_payouts 10000",
    'disburse_payouts_open{stage="queued"} 10000',
    'disburse_payout_exceptions{kind="stuck"} 10000',
  ]);
  await platform.payouts.deleteMany({});
});

it("shows which rails are paused", async () => {
  const pause = async (action: "rail.paused" | "rail.resumed", operation: string) => {
    const entry = { action, subject: "sandbox", detail: "holiday", person: "ada", operation };
    const { parts: resolving, states } = platform;
    await resolving.audit.append({ ...entry, at: new Date() });
    const last = await resolving.audit.lastOf("sandbox");
    if (last !== undefined) await states.follow(last);
  };
  await pause("rail.paused", "op-pause");
  expect(await read()).toEqual(['disburse_rail_paused{rail="sandbox"} 1']);
  await pause("rail.resumed", "op-resume");
  expect(await read()).toEqual([]);
});

it("shows holds without a payout once no execute can still create it", async () => {
  const { accounts } = platform.ledger;
  const accountId = await platform.fundedAccount("mer_1", "100.00");
  // The sweep closes those of payouts.
  await accounts.updateMany({}, { $set: { open_holds: [] } });
  platform.faults.claim = () => {
    throw unavailable();
  };
  for (const _each of [1, 2, 3]) {
    await expect(platform.execute(accountId, "order")).rejects.toThrow();
  }
  platform.faults.claim = () => undefined;
  const { open_holds = [] } = (await accounts.findOne({ _id: accountId })) ?? {};
  // By the test's clock, not the database's.
  const since = (at: number) => new Date(start.getTime() + (at === 0 ? 0 : 1));
  const dated = open_holds.map((hold, at) => ({ ...hold, since: since(at) }));
  await accounts.updateOne({ _id: accountId }, { $set: { open_holds: dated } });
  expect(await read()).toEqual([]);
  pass(10_001);
  expect(await read()).toEqual(["disburse_orphaned_holds 1"]);
  pass(1);
  expect(await read()).toEqual(["disburse_orphaned_holds 3"]);
  await platform.sweep();
  await platform.sweep();
  expect((await read()).join()).not.toContain("disburse_orphaned_holds");
});

it("shows scheduled payouts that wait, and how late; batches that run, and since when idle", async () => {
  const { orders, batches, payouts } = platform;
  await payouts.deleteMany({});
  const ago = (ms: number) => new Date(start.getTime() - ms);
  const order = (id: string, scheduled_at: Date, due_at?: Date) => ({
    ...{ _id: id, operation_id: id, scheduled_at, ...(due_at && { due_at, state: "waiting" }) },
  });
  await orders.insertMany([
    // A worker's lease postpones the next check, not the order's time.
    order("spo_late", ago(90_000), ago(-20_000)),
    order("spo_later", ago(-60_000), ago(-60_000)),
    order("spo_made", ago(900_000)),
    // Operators or merchants decide on a held order, so no process is late.
    { ...order("spo_held", ago(900_000), ago(-80_000)), state: "awaiting_approval" },
  ] as never);
  await batches.insertMany([
    { _id: "bat_runs", state: "running", due_at: ago(-5_000), moved_at: ago(2_000) },
    { _id: "bat_idle", state: "running", due_at: ago(-5_000), moved_at: ago(700_000) },
    { _id: "bat_over", moved_at: ago(900_000) },
  ] as never);
  expect(await read()).toEqual([
    "disburse_scheduled_payouts_waiting 2",
    "disburse_scheduled_payout_oldest_overdue_seconds 90",
    "disburse_batches_running 2",
    "disburse_batch_oldest_idle_seconds 700",
  ]);
  await Promise.all([orders.deleteMany({}), batches.deleteMany({})]);
  expect(await read()).toEqual([]);
});

it("shows payouts that wait for their account's balance, and since when", async () => {
  const { waiting } = platform;
  const ago = (ms: number) => new Date(start.getTime() - ms);
  const wait = (_id: string, state: string, created_at: Date, due_at?: Date) => ({
    ...{ _id, state, created_at, ...(due_at && { due_at }) },
  });
  await waiting.insertMany([
    wait("po_waits", "waiting", ago(90_000), ago(-80_000_000)),
    wait("po_later", "waiting", ago(60_000), ago(-20_000)),
    wait("po_held", "awaiting_approval", ago(900_000), ago(-20_000)),
    wait("po_paid", "executed", ago(900_000)),
  ] as never);
  expect(await read()).toEqual([
    "disburse_payouts_awaiting_balance 2",
    "disburse_payout_oldest_awaiting_balance_seconds 90",
  ]);
  await waiting.deleteMany({});
  expect(await read()).toEqual([]);
});

it("are read anew after 5 s", async () => {
  const { database, parts: worker } = platform;
  const timer = vi.spyOn(globalThis, "setTimeout");
  const metrics = createMetrics("payout");
  const { clock } = worker;
  const loop = startPayoutGauges({
    database,
    ledger: worker.ledger,
    rails: [],
    metrics,
    clock,
    log: silentLog,
  });
  try {
    const pause = [expect.any(Function), 5_000];
    await vi.waitFor(() => expect(timer.mock.calls).toContainEqual(pause), 10_000);
  } finally {
    await loop.stop();
    timer.mockRestore();
  }
});
