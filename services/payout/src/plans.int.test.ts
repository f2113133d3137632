import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { migrate } from "@disburse/chassis/mongo/migrations.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { newId } from "@disburse/kernel/id.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { openAccount, openLedger } from "@disburse/ledger/accounts.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ExecuteDeps } from "./execution/execute.ts";
import { sweepAccounts } from "./execution/holds.ts";
import { payoutGauges } from "./gauges.ts";
import { migrations } from "./migrations.ts";
import {
  type Orders,
  openScheduledPayouts,
  openWaitingPayouts,
  toOrder,
} from "./orders/document.ts";
import { heldOutbox } from "./orders/events.ts";
import { openReservations, sweepReserved } from "./orders/reservation.ts";
import { setCancelled, setExecuted } from "./orders/store.ts";
import { beginWaiting } from "./orders/waiting-store.ts";
import { type PayoutDocument, payoutDocument } from "./payouts/document.ts";
import { listExceptions } from "./payouts/exceptions.ts";
import { leaseDue } from "./payouts/leases.ts";
import { openPayoutOutbox } from "./payouts/outbox.ts";
import { joinedPublished, publishedPayouts } from "./payouts/published.ts";
import { type ClaimedQuote, payoutFrom } from "./payouts/rules/payout.ts";
import { openPayouts } from "./payouts/store.ts";
import { order } from "./payouts/test-documents.ts";
import { freeLeases, recallWork } from "./payouts/work.ts";
import { createSandboxRail } from "./rails/sandbox/rail.ts";
import { place } from "./test-platform.ts";
import { endedAttempts } from "./waiting/attempts.ts";
import { waitingDocument } from "./waiting/document.ts";
import { heldWait, publishedWaits, waitingOutbox } from "./waiting/events.ts";
import { runWaiting } from "./waiting/worker.ts";

const settledCount = 2_000;
const endedWaits = 20;
/** Fields that the driver adds to a command. `explain` accepts none of them. */
const driverFields = ["lsid", "$db", "$clusterTime", "writeConcern", "readConcern", "txnNumber"];

let database: Database;
let commands: Document[] = [];

beforeAll(async () => {
  const name = freshDatabase("plans");
  const watch = (client: MongoClient) => {
    client.options.monitorCommands = true;
    client.on("commandStarted", ({ commandName, command }) => {
      if (["find", "aggregate", "findAndModify", "update"].includes(commandName)) {
        commands.push(command);
      }
    });
  };
  database = await connectDatabase(mongodbUri(name), name, { watch });
  await migrate(database, migrations, silentLog);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

function claimed(quoteId: string): ClaimedQuote {
  return {
    ...{ id: quoteId, merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
    ...{ source: "USD", destination: "USD", exchangeRate: "1", returnCharges: "platform" as const },
    reissueOf: undefined,
    destinationKeys: ["destination_1"],
    duplicateKeys: [],
    ...{ sourceMinor: 1_000n, feesMinor: 0n, receivingMinor: 1_000n },
    isReceivingFixed: false,
    beneficiary: {
      ...{ id: "ben_1", name: "Ada Lovelace", accountNumberMasked: "********1234" },
      ...{ transferMethod: "ACH", network: "" },
    },
    claimedAt: new Date("2026-01-01"),
  };
}

/** A payout that settled long ago: nothing is pending or due. */
function settled(): PayoutDocument {
  const quoteId = newId("quote");
  const payout = payoutFrom(claimed(quoteId), { ...order, quoteId, operationId: newId("event") });
  const { work_due_at: _due, ...document } = payoutDocument(payout, {});
  const progress = { stage: "settled", reference: "R" } as const;
  const published_at = new Date("2026-01-02");
  return { ...document, status: "succeeded", progress, published_at, outbox: [] };
}

/** Payouts that have waited for balance, and were paid or cancelled. Their events are published. */
async function endWaits(waiting: Orders) {
  const documents = Array.from({ length: endedWaits }, () => {
    const quoteId = newId("quote");
    const wait = {
      quoted: claimed(quoteId),
      maxSource: 1_000n,
      expiresAt: new Date("2026-01-02"),
    };
    const request = { ...order, quoteId, operationId: newId("event") };
    return waitingDocument(request, wait, new Date("2026-01-01"));
  });
  await waiting.insertMany(documents);
  for (const document of documents) await beginWaiting(waiting, document._id);
  const [paid, ...others] = documents.map(toOrder);
  if (paid === undefined) throw new Error("nothing waited");
  await setExecuted(waiting, { order: paid }, paid.id);
  for (const each of others) await setCancelled(waiting, { ...each, quote: undefined });
  await waiting.updateMany({}, { $set: { "balance.pending_versions": [] } });
}

it("polling reads no settled payout or account", async () => {
  const clock = systemClock;
  const ledger = openLedger(database);
  const payouts = openPayouts(database);
  const behaviour = { settleMs: 0, delay: "fixed", seed: 0, shares: {} } as const;
  const receive = async () => undefined;
  const rail = createSandboxRail({ database, clock, behaviour, callbackSecret: "secret", receive });
  await payouts.insertMany(Array.from({ length: settledCount }, settled));
  await openAccount(
    ledger,
    {
      ...{ merchantId: "mer_1", currency: "USD", operationId: "op" },
      actor: { kind: "operator", id: "ops" },
    },
    clock.now(),
  );
  await endWaits(openWaitingPayouts(database));
  commands = [];

  expect(await leaseDue(payouts, clock.now(), { place, leasedMs: 1_000 }, 64)).toEqual([]);
  await freeLeases(payouts, place);
  await recallWork(payouts, clock.now(), 1_000);
  const outbox = openPayoutOutbox({
    ...{ payouts, clock, stored: createWake() },
    ...{ isHeld: () => false, markWithinMs: 0, orphanedAfterMs: 0, pollEveryMs: 0 },
  });
  expect(await outbox.due(100)).toEqual([]);
  const lastMinute = { from: new Date(Date.now() - 60_000), to: clock.now() };
  const waiting = openWaitingPayouts(database);
  const published = joinedPublished([publishedPayouts(payouts), publishedWaits(waiting)]);
  expect(await published.list(lastMinute, { after: undefined, limit: 20 })).toEqual([]);
  expect(await published.again(["evt_none_1", "evt_none_2"])).toEqual([]);
  const sweeping = { ledger, payouts, clock, log: silentLog } as ExecuteDeps & {
    log: typeof silentLog;
  };
  const reserving = { orders: openScheduledPayouts(database), ledger };
  await sweepAccounts({
    ...sweeping,
    endedAttempts: (ids) => endedAttempts(waiting, ids),
    openReservations: openReservations(reserving),
  });
  await sweepReserved(reserving, clock.now());
  expect(await endedAttempts(waiting, ["po_none.2"])).toEqual(new Set());
  await runWaiting({ ...sweeping, waiting } as Parameters<typeof runWaiting>[0]);
  expect(await heldOutbox(waiting, heldWait).due(100)).toEqual([]);
  expect(await waitingOutbox(waiting, clock).due(100)).toEqual([]);
  await waitingOutbox(waiting, clock).published([
    { id: "evt_none_1", key: "payout.failed", body: new Uint8Array() },
  ]);
  await rail.sendDue();
  expect(await listExceptions(payouts, undefined, { after: undefined, limit: 20 })).toEqual([]);
  await payoutGauges({
    database,
    ledger,
    rails: [],
    metrics: createMetrics("payout"),
    clock,
    log: silentLog,
  })();

  expect(commands.length).toBeGreaterThanOrEqual(9);
  for (const command of commands) {
    const plain = Object.fromEntries(
      Object.entries(command).filter(([field]) => !driverFields.includes(field)),
    );
    const explained = await database.db.command({ explain: plain, verbosity: "executionStats" });
    // The first stage of an aggregation is its read.
    const { executionStats, queryPlanner } = explained.stages?.[0].$cursor ?? explained;
    const { totalKeysExamined, totalDocsExamined } = executionStats;
    const text = JSON.stringify(plain);
    expect(JSON.stringify(queryPlanner.winningPlan), text).not.toContain("COLLSCAN");
    expect([totalKeysExamined, totalDocsExamined], text).toEqual([0, 0]);
  }
  const { keysPerIndex } = await database.db.command({ validate: "payouts" });
  expect(keysPerIndex).toMatchObject({ work: 0, outbox: 0, exception: 0 });
  expect(keysPerIndex._id_).toBe(settledCount);
});
