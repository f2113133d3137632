import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { BatchLineState, BatchState } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { isCreated } from "../payouts/document.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { runDueBatch } from "./runner.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "15.00");
});
afterEach(async () => {
  platform.world.quoting = {};
  const { batches, lines, payouts } = platform;
  await Promise.all([batches, lines, payouts].map((each) => each.deleteMany({})));
});

const line = (sourceAmount = "10.00") => ({
  ...{ accountId, beneficiaryId: "ben_1", sourceAmount, referenceId: "salary" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" },
});

async function create(lines: object[], change: object = {}): Promise<string> {
  const asked = { mutation: platform.operation(), merchantId, lines, queueIfLowBalance: true };
  return (await platform.ordersRpc.createBatch({ ...asked, ...change })).batch?.id ?? "";
}

async function approved(lines: object[], maxTotalAmount = "1000.00"): Promise<string> {
  const batchId = await create(lines);
  const mutation = platform.operation();
  await platform.ordersRpc.approveBatch({ mutation, merchantId, batchId, maxTotalAmount });
  return batchId;
}

async function run(_id: string) {
  const due_at = new Date(Date.now() - 1_000);
  await platform.batches.updateOne({ _id, state: "running" }, { $set: { due_at } });
  await runDueBatch({ ...platform.parts, orders: platform.lines, isStopping: () => false });
}

const topUp = (amount: string) =>
  platform.rpc.creditAccount({ mutation: platform.operation(), merchantId, accountId, amount });

async function read(batchId: string) {
  const { batch } = await platform.ordersRpc.getBatch({ merchantId, batchId });
  if (batch === undefined) throw new Error("no batch");
  const { lines } = await platform.ordersRpc.listBatchLines({ merchantId, batchId, limit: 500 });
  const counts = [batch.waitingCount, batch.executedCount, batch.failedCount];
  return { batch, lines, shown: `${enumName(BatchState, batch.state)} ${counts.join("/")}` };
}
const shownOf = async (batchId: string) => (await read(batchId)).shown;
const made = () => platform.payouts.countDocuments({ account_id: accountId, ...isCreated });

it("lines wait for balance, are paid in their order when it comes, and then end the batch", async () => {
  const batchId = await approved([line(), line(), line("2.00")]);
  await run(batchId);
  const waiting = await read(batchId);
  expect(waiting.shown).toBe("running 2/1/0");
  expect(waiting.batch.queueIfLowBalance).toBe(true);
  const lasts = Number(waiting.batch.expiresAt?.seconds) - Math.trunc(Date.now() / 1_000);
  expect(lasts).toBeGreaterThan(86_000);
  const states = waiting.lines.map(({ state, subStatus }) => [state, subStatus]);
  expect(states.slice(1)).toEqual([
    [BatchLineState.WAITING, PayoutSubStatus.AWAITING_BALANCE],
    [BatchLineState.WAITING, PayoutSubStatus.AWAITING_BALANCE],
  ]);
  const quotes = platform.quotes.size;
  await topUp("4.99");
  await run(batchId);
  // The last line would fit, but does not overtake the one before it. Nothing is quoted.
  expect([await shownOf(batchId), platform.quotes.size]).toEqual(["running 2/1/0", quotes]);
  await topUp("0.01");
  await run(batchId);
  expect(await shownOf(batchId)).toBe("running 1/2/0");
  await topUp("2.00");
  await run(batchId);
  expect(await shownOf(batchId)).toBe("finished 0/3/0");
  expect(await made()).toBe(3);
});

it("lines wait no longer than the batch says; afterwards they are not paid", async () => {
  const batchId = await approved([line(), line()]);
  await run(batchId);
  const expires_at = new Date(Date.now() - 1_000);
  await platform.batches.updateOne(
    { _id: batchId },
    { $set: { "balance.expires_at": expires_at } },
  );
  await run(batchId);
  const { shown, lines } = await read(batchId);
  expect(shown).toBe("finished 0/1/1");
  expect(lines[1]?.failureCode).toBe("INSUFFICIENT_BALANCE");
  await topUp("100.00");
  await run(batchId);
  expect(await made()).toBe(1);
});

it("lines are paid after the time of the batch if the money has come", async () => {
  const batchId = await approved([line(), line(), line()]);
  await run(batchId);
  await topUp("10.00");
  const past = { $set: { "balance.expires_at": new Date(Date.now() - 1_000) } };
  await platform.batches.updateOne({ _id: batchId }, past);
  await run(batchId);
  expect(await shownOf(batchId)).toBe("running 1/2/0");
  await run(batchId);
  const { shown, lines } = await read(batchId);
  expect(shown).toBe("finished 0/2/1");
  expect(lines[2]?.failureCode).toBe("INSUFFICIENT_BALANCE");
});

it("lines that wait fail when their account is closed", async () => {
  const batchId = await approved([line(), line()]);
  await run(batchId);
  const rest = { mutation: platform.operation(), merchantId, referenceId: "rest" };
  const quoteId = platform.quote(accountId, { amount: "5.00" });
  await platform.rpc.executePayout({ ...rest, quoteId });
  await platform.rpc.closeAccount({ mutation: platform.operation(), merchantId, accountId });
  await run(batchId);
  const { shown, lines } = await read(batchId);
  expect(shown).toBe("finished 0/1/1");
  expect(lines[1]?.failureCode).toBe("SOURCE_ACCOUNT_CLOSED");
});

it("new prices stay within the approved total", async () => {
  const batchId = await approved([line(), line()], "20.00");
  await run(batchId);
  platform.world.quoting = { cost: "10.01" };
  await topUp("100.00");
  await run(batchId);
  const { shown, lines } = await read(batchId);
  expect(shown).toBe("finished 0/1/1");
  expect(lines[1]?.failureCode).toBe("BATCH_TOTAL_EXCEEDED");
});

it("waiting lines are cancelled with their batch", async () => {
  const batchId = await approved([line(), line()]);
  await run(batchId);
  await platform.ordersRpc.cancelBatch({ mutation: platform.operation(), merchantId, batchId });
  await topUp("100.00");
  await run(batchId);
  expect(await shownOf(batchId)).toBe("finished 0/1/0");
  expect(await made()).toBe(1);
});

it.each([
  ["a time without the option", { queueIfLowBalance: false, expiresAt: "2036-01-01" }],
  ["a time that is past", { expiresAt: "2020-01-01" }],
  ["a time that is none", { expiresAt: "soon" }],
])("is refused with %s", async (_what, change) => {
  const code = await create([line()], change).catch((error) => readRefusal(error)?.code);
  expect(code).toBe("INVALID_REQUEST");
  expect(await platform.batches.countDocuments()).toBe(0);
});

it("a line of a batch without the option fails", async () => {
  const batchId = await create([line("16.00")], { queueIfLowBalance: false });
  const mutation = platform.operation();
  await platform.ordersRpc.approveBatch({ mutation, merchantId, batchId, maxTotalAmount: "99.00" });
  await run(batchId);
  const { lines } = await read(batchId);
  expect(lines[0]?.failureCode).toBe("INSUFFICIENT_BALANCE");
});
