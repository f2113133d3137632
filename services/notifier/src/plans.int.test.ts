import type { MessageInitShape } from "@bufbuild/protobuf";
import { silentLog } from "@disburse/chassis/log.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import {
  DeliveryState,
  type ListDeliveriesRequestSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepExpired } from "./deliveries/retention.ts";
import { repairGaps } from "./reconciliation/repair.ts";
import { openGapStore } from "./reconciliation/store.ts";
import { sweepDeliveries } from "./reconciliation/sweep.ts";
import {
  acknowledged,
  operation,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "./test-notifier.ts";

const read = new Set(["find", "aggregate", "count", "distinct"]);
const written = new Set(["update", "delete", "findAndModify"]);
/** Fields that the driver adds to a command; `explain` rejects them. */
const driverFields = ["lsid", "$db", "$clusterTime", "writeConcern", "readConcern", "txnNumber"];

const memberId = newId("member");
let notifier: TestNotifier;
let commands: Document[] = [];

function watch(client: MongoClient): void {
  client.options.monitorCommands = true;
  client.on("commandStarted", ({ commandName, command }) => {
    if (read.has(commandName) || written.has(commandName)) commands.push(command);
  });
}

beforeAll(async () => {
  const recipients = [{ memberId, email: "mia@acme.example", scopes: ["payout:read"] }];
  notifier = await startTestNotifier({
    mails: {
      send: async () => ({ kind: "sent" }),
      team: { listMailRecipients: async () => ({ recipients }) as never },
      consoleUrl: "https://console.example",
      mode: "sandbox",
      digestMs: 1_000,
    },
    connect: (uri, name) => connectDatabase(uri, name, { watch }),
  });
  // Drops the commands of the migrations.
  commands = [];
});

afterAll(() => notifier.drop());

/** Runs every query of the notifier. */
async function exercise(): Promise<void> {
  const { rpc } = notifier;
  const payoutId = newId("payout");
  const { merchantId, endpointId } = await register(notifier);
  const other = await register(notifier, merchantId);
  notifier.world.answer = () => refusedBy(500);
  const second = payoutMessage({ merchantId, payoutId, version: 2, status: "failed" });
  await notifier.consume([second, payoutMessage({ merchantId, payoutId }), second]);
  await notifier.work();
  const filters: MessageInitShape<typeof ListDeliveriesRequestSchema>[] = [
    ...[
      {},
      { endpointId },
      { transactionId: payoutId },
      { state: DeliveryState.PENDING },
      { endpointId, state: DeliveryState.PENDING },
    ],
    ...[
      { endpointId, transactionId: payoutId },
      { transactionId: payoutId, state: DeliveryState.PENDING },
    ],
  ];
  for (const filter of filters) {
    const page = await rpc.listDeliveries({ merchantId, limit: 1, ...filter });
    const cursor = page.nextCursor;
    await rpc.listDeliveries({ merchantId, limit: 1, ...filter, cursor });
  }
  for (const after of ["", (await rpc.listEvents({ merchantId, limit: 1 })).nextCursor]) {
    await rpc.listEvents({ merchantId, after });
  }
  const [delivery] = (await rpc.listDeliveries({ merchantId, limit: 1 })).deliveries;
  const request = { merchantId, endpointId, deliveryId: delivery!.id };
  await rpc.getDelivery(request);
  await rpc.redeliver({ ...request, mutation: operation() });
  await rpc.sendTestEvent({ ...request, mutation: operation() });
  await rpc.rotateSecret({ ...request, mutation: operation(), stage: true });
  await rpc.activateSecret({ ...request, mutation: operation() });
  const { nextCursor } = await rpc.listEndpoints({ ...request, limit: 1 });
  await rpc.listEndpoints({ ...request, cursor: nextCursor });
  await rpc.getEndpoint(request);
  await rpc.updateEndpoint({ ...request, mutation: operation(), order: "none" });
  await rpc.pauseEndpoint({ ...request, mutation: operation() });
  await rpc.resumeEndpoint({ ...request, mutation: operation() });
  const unverified = { $set: { verified_at: null } };
  await notifier.endpoints.collection.updateOne({ _id: endpointId }, unverified);
  notifier.world.answer = () => acknowledged;
  await rpc.verifyEndpoint({ ...request, mutation: operation() });
  notifier.world.answer = () => refusedBy(500);
  const replaying = { merchantId, endpointId, since: "2026-11-19", states: ["exhausted"] };
  const ended = { state: "exhausted", due_at: null } as const;
  const theirs = { merchant_id: merchantId, endpoint_id: endpointId };
  await notifier.deliveries.collection.updateMany(theirs, { $set: ended });
  notifier.advance(1_000);
  const { replay } = await rpc.createReplay({
    ...{ ...replaying, mutation: operation(), ratePerSecond: 1 },
  });
  for (const wait of [1_000, 1_000]) {
    await notifier.replayer.round();
    notifier.advance(wait);
  }
  const replayId = replay!.id;
  await rpc.cancelReplay({ merchantId, replayId, mutation: operation() });
  const typed = { ...replaying, eventTypes: ["payout_session.failed"] };
  const { replay: chosen } = await rpc.createReplay({ ...typed, mutation: operation() });
  await notifier.replayer.round();
  await rpc.cancelReplay({ merchantId, replayId: chosen!.id, mutation: operation() });
  await rpc.createReplay({ ...replaying, mutation: operation() });
  const replays = await rpc.listReplays({ merchantId, limit: 1 });
  await rpc.listReplays({ merchantId, cursor: replays.nextCursor });
  await rpc.deleteEndpoint({ ...other, mutation: operation() });
  await mailMember(merchantId);
  await reportFailure(endpointId);
  notifier.advance(120_000);
  const nothing = () => undefined;
  const sweeping = {
    gaps: openGapStore(notifier.database, notifier.events, notifier.deliveries),
    fanOut: notifier.fanOut,
    metrics: { found: nothing, repaired: nothing, open: nothing, through: nothing },
    clock: { now: () => notifier.world.now },
    log: silentLog,
    holdsLease: async () => true,
  };
  const lost = { key: "mer_1/evt_1", eventId: "evt_1" };
  await sweeping.gaps.record("event", [lost], notifier.world.now);
  await repairGaps(sweeping, "event", async () => new Set());
  await sweepDeliveries(sweeping);
  await notifier.work();
  notifier.advance(200 * 86_400_000);
  await notifier.work();
  await sweepExpired(notifier, notifier.world.now);
}

/** Sends the e-mail about the failed payout, and reads and sets the member's preferences. */
async function mailMember(merchantId: string): Promise<void> {
  const { mails, world, rpc } = notifier;
  notifier.advance(1_000);
  await mails.mailer?.distribute();
  expect((await mails.recipients.oldestUnsentAt()) ?? world.now).toEqual(world.now);
  await mails.mailer?.send();
  expect(await mails.recipients.find(memberId)).toMatchObject({ mail: null, rejections: 0 });
  await rpc.setMailPreferences({ mutation: operation(), merchantId, memberId });
}

/** Reports an endpoint's failure and its recovery. */
async function reportFailure(endpointId: string): Promise<void> {
  await notifier.dispatcher.saveHealth();
  const healths = notifier.database.db.collection<{ _id: string }>("endpoint_health");
  const at = notifier.world.now;
  const failing = {
    failing_days: 1,
    failing_since: new Date(at.getTime() - 600_000),
    last_failed_at: at,
  };
  await healths.updateOne({ _id: endpointId }, { $set: failing });
  await notifier.failureReports.round();
  const delivered = { last_delivered_at: new Date(at.getTime() + 1), failing_days: 0 };
  await healths.updateOne({ _id: endpointId }, { $set: delivered });
  await notifier.failureReports.round();
  expect(await healths.findOne({ _id: endpointId })).not.toHaveProperty("report");
}

/** Converts a command to the form for `explain`, one for each part of a write. */
function explainable(command: Document): Document[] {
  const plain = Object.fromEntries(
    Object.entries(command).filter(([name]) => !driverFields.includes(name)),
  );
  if (plain.updates) return plain.updates.map((each: Document) => ({ ...plain, updates: [each] }));
  if (plain.deletes) return plain.deletes.map((each: Document) => ({ ...plain, deletes: [each] }));
  return [plain];
}

/** Formats an explanation without the rejected plans. */
function planText(explained: Document): string {
  return JSON.stringify(explained, (name, value) => (name === "rejectedPlans" ? undefined : value));
}

it("no request, claim, settlement or sweep scans a collection or sorts in memory", async () => {
  await exercise();
  const { db } = notifier.database;
  const seen = new Map(
    commands.flatMap(explainable).map((each) => [JSON.stringify(each), each] as const),
  );
  expect(seen.size).toBeGreaterThan(40);
  for (const [text, command] of seen) {
    const plan = planText(await db.command({ explain: command, verbosity: "queryPlanner" }));
    expect(plan, text).not.toContain('"COLLSCAN"');
    if ("find" in command) expect(plan, text).not.toContain('"stage":"SORT"');
  }
  const due = [...seen.values()].find((each) => each.aggregate && each.pipeline.length === 4);
  const plan = planText(await db.command({ explain: due, verbosity: "queryPlanner" }));
  expect(plan).toContain('"DISTINCT_SCAN"');
});

it("a replay reads only originals, regardless of their redeliveries", async () => {
  const { rpc, deliveries, database } = notifier;
  const { merchantId, endpointId } = await register(notifier);
  const since = notifier.world.now.toISOString();
  await notifier.consume([payoutMessage({ merchantId })]);
  const original = await deliveries.collection.findOne({ endpoint_id: endpointId });
  if (original === null) throw new Error("nothing was sent");
  const ended = { state: "exhausted", due_at: null } as const;
  const again = Array.from({ length: 300 }, (_, at) => ({
    ...{ ...original, ...ended, _id: newId("delivery", notifier.world.now), replay: at + 1 },
  }));
  await deliveries.collection.insertMany(again);
  await deliveries.collection.updateOne({ _id: original._id }, { $set: ended });
  notifier.advance(1_000);
  commands.length = 0;
  await rpc.createReplay({ mutation: operation(), merchantId, endpointId, since });
  // An earlier replay of this test may be due too.
  while (await notifier.replayer.round());
  const own = commands.filter((each) => JSON.stringify(each).includes(merchantId));
  const hinted = own.filter(({ hint }) => hint === "originals").flatMap(explainable);
  expect(hinted).toHaveLength(2);
  for (const command of hinted) {
    const explained = await database.db.command({ explain: command, verbosity: "executionStats" });
    const { totalDocsExamined, totalKeysExamined } =
      explained.executionStats ?? explained.stages[0].$cursor.executionStats;
    expect(totalDocsExamined).toBeLessThanOrEqual(1);
    expect(totalKeysExamined).toBeLessThanOrEqual(2);
  }
});
