import { silentLog } from "@disburse/chassis/log.ts";
import { type Database, databaseOf } from "@disburse/chassis/mongo/database.ts";
import { newId } from "@disburse/kernel/id.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ExecuteDeps } from "./execution/execute.ts";
import { sweepHolds } from "./execution/hold-sweep.ts";
import { openAccountStore } from "./ledger/accounts.ts";
import { openPayoutCounts } from "./payouts/counts.ts";
import { type PayoutDocument, payoutDocument } from "./payouts/document.ts";
import { payoutFrom } from "./payouts/rules/payout.ts";
import { openPayoutStore } from "./payouts/store.ts";
import { createSandboxRail } from "./rails/sandbox/rail.ts";
import { concluded, type Resolution } from "./resolutions/rules/resolution.ts";
import { openResolutionStore, type ResolutionStore } from "./resolutions/store.ts";

const settledCount = 2_000;
/** What the driver adds to a command; `explain` takes none of it. */
const driverFields = ["lsid", "$db", "$clusterTime", "writeConcern", "readConcern", "txnNumber"];

let database: Database;
let commands: Document[] = [];

beforeAll(async () => {
  const name = freshDatabase("plans");
  const client = new MongoClient(mongodbUri(name), { monitorCommands: true });
  await client.connect();
  client.on("commandStarted", ({ commandName, command }) => {
    if (["find", "aggregate", "findAndModify", "update"].includes(commandName)) {
      commands.push(command);
    }
  });
  database = databaseOf(client, name);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

/** A payout that was settled long ago: nothing is owed, nothing is due. */
function settled(): PayoutDocument {
  const at = new Date("2026-01-01");
  const payout = payoutFrom({
    ...{ id: newId("quote"), merchantId: "mer_1", accountId: "acc_1", corridorId: "cor_1" },
    ...{ source: "USD", destination: "USD", exchangeRate: "1" },
    ...{ sourceMinor: 1_000n, feesMinor: 0n, receivingMinor: 1_000n },
    beneficiary: {
      ...{ id: "ben_1", name: "Ada Lovelace", accountNumberMasked: "********1234" },
      ...{ transferMethod: "ACH", network: "" },
    },
    claim: { referenceId: "order", operationId: newId("event"), claimedAt: at },
  });
  const actor = { kind: "api_key", id: "key_1" } as const;
  const { work_due_at: _due, ...document } = payoutDocument(payout, actor, undefined);
  const progress = { stage: "settled", reference: "R" } as const;
  const published_at = new Date("2026-01-02");
  return { ...document, status: "succeeded", progress, published_at, outbox: [], untallied: [] };
}

/** Resolutions that ended long ago, of which the audit trail has everything. */
async function endedResolutions(): Promise<ResolutionStore> {
  const resolutions = await openResolutionStore(database);
  for (const id of ["rsl_1", "rsl_2", "rsl_3"]) {
    const proposed = { person: "ada", operation: id, at: new Date("2026-01-01") };
    const owed = { ...proposed, action: "resolution.proposed", subject: id, detail: "" } as const;
    const resolution: Resolution = {
      ...{ id, payoutId: "po_1", outcome: { kind: "rejected" }, reason: "", doubt: "unknown" },
      ...{ proposed, state: { kind: "proposed" }, updatedAt: proposed.at },
    };
    await resolutions.insert(resolution, owed);
    await resolutions.recorded(id, owed);
    await resolutions.change(resolution, concluded(resolution, "superseded", proposed.at));
  }
  return resolutions;
}

it("what is asked again and again costs nothing, however many payouts are settled", async () => {
  const clock = systemClock;
  const accounts = await openAccountStore(database);
  const payouts = await openPayoutStore(database, "first:8080", clock);
  const behaviour = { settleMs: 0, delay: "fixed", seed: 0, shares: {} } as const;
  const rail = await createSandboxRail({ database, clock, behaviour, callbackSecret: "secret" });
  await payouts.collection.insertMany(Array.from({ length: settledCount }, settled));
  await accounts.open(
    {
      ...{ merchantId: "mer_1", currency: "USD", operationId: "op" },
      actor: { kind: "operator", id: "ops" },
    },
    clock.now(),
  );
  const resolutions = await endedResolutions();
  commands = [];

  expect(await payouts.leaseDue(clock.now(), 1_000)).toBeUndefined();
  await payouts.freeLeases();
  await payouts.recallWork(clock.now(), 1_000);
  expect(await payouts.outbox.due(100)).toEqual([]);
  const lastMinute = { from: new Date(Date.now() - 60_000), to: clock.now() };
  expect(await payouts.listPublished(lastMinute, { after: undefined, limit: 20 })).toEqual([]);
  await openPayoutCounts(database, payouts).run();
  await sweepHolds({ accounts, payouts, clock, log: silentLog } as ExecuteDeps & {
    log: typeof silentLog;
  });
  await accounts.recordRecent();
  await rail.sendDue();
  expect(await resolutions.unfinished()).toEqual([]);
  expect(await payouts.listExceptions(undefined, { after: undefined, limit: 20 })).toEqual([]);

  expect(commands.length).toBeGreaterThanOrEqual(9);
  for (const command of commands) {
    const plain = Object.fromEntries(
      Object.entries(command).filter(([field]) => !driverFields.includes(field)),
    );
    const explained = await database.db.command({ explain: plain, verbosity: "executionStats" });
    const { totalKeysExamined, totalDocsExamined } = explained.executionStats;
    const text = JSON.stringify(plain);
    expect(JSON.stringify(explained.queryPlanner.winningPlan), text).not.toContain("COLLSCAN");
    expect([totalKeysExamined, totalDocsExamined], text).toEqual([0, 0]);
  }
  const { keysPerIndex } = await database.db.command({ validate: "payouts" });
  expect(keysPerIndex).toMatchObject({ work: 0, outbox: 0, untallied: 0, doubt: 0 });
  expect(keysPerIndex._id_).toBe(settledCount);
  const kept = await database.db.command({ validate: "resolutions" });
  expect(kept.keysPerIndex).toEqual({ _id_: 3, operation: 3, open: 0, owed: 0 });
});
