import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  acknowledged,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

const dayMs = 86_400_000;
const commands: Document[] = [];
let notifier: TestNotifier;
beforeAll(async () => {
  const watch = (client: MongoClient) => {
    client.options.monitorCommands = true;
    client.on("commandStarted", ({ commandName, command }) => {
      if (commandName === "aggregate" && command.hint === "list") commands.push(command);
    });
  };
  notifier = await startTestNotifier({
    connect: (uri, name) => connectDatabase(uri, name, { watch }),
  });
});
afterAll(() => notifier.drop());

const consume = (merchantId: string) =>
  notifier.consume([payoutMessage({ merchantId, payoutId: newId("payout") })]);

it("counts a merchant's deliveries by day and state, from index keys alone", async () => {
  const { rpc, world } = notifier;
  const { merchantId } = await register(notifier);
  const { merchantId: other } = await register(notifier);
  const today = world.now.toISOString().slice(0, 10);
  world.answer = () => acknowledged;
  await consume(merchantId);
  await consume(other);
  await notifier.work();
  notifier.advance(dayMs);
  world.answer = () => refusedBy(500);
  await consume(merchantId);
  await consume(merchantId);
  await notifier.work();
  const { days } = await rpc.getDeliveryActivity({ merchantId });
  const none = { delivered: 0n, pending: 0n, exhausted: 0n, cancelled: 0n };
  expect(days).toHaveLength(30);
  expect(days.at(-2)).toMatchObject({ ...none, date: today, delivered: 1n });
  expect(days.at(-1)).toMatchObject({ ...none, pending: 2n });
  // The figures stay for a minute.
  await consume(merchantId);
  expect((await rpc.getDeliveryActivity({ merchantId })).days).toEqual(days);
  expect(commands).toHaveLength(1);
  const { lsid: _session, $db: _name, readConcern: _level, ...command } = commands[0] ?? {};
  const plan = await notifier.database.db.command({
    explain: command,
    verbosity: "executionStats",
  });
  expect(JSON.stringify(plan)).toMatch(/"totalKeysExamined":\d\b/);
  expect(JSON.stringify(plan)).toMatch(/"totalDocsExamined":0\b/);
});

it("refuses malformed days", async () => {
  const asked = notifier.rpc.getDeliveryActivity({ merchantId: "mer_1", firstDay: "x" });
  expect(readRefusal(await asked.catch((error: unknown) => error))).toMatchObject({
    code: "INVALID_REQUEST",
    message: "first_day: must be a day such as 2026-11-20",
  });
});
