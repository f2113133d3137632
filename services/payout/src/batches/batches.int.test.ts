import { create, fromBinary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import {
  type Batch,
  BatchLineState,
  BatchState,
  BatchTermsSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { openLedger } from "@disburse/ledger/accounts.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openBatchLines } from "../orders/document.ts";
import { openPayouts } from "../payouts/store.ts";
import { dyingAt } from "../test-dying.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openVelocityLimits } from "../velocity/limits.ts";
import { createVelocityReservations } from "../velocity/reservations.ts";
import { openUsage } from "../velocity/usage.ts";
import { openBatches } from "./document.ts";
import { batchOutbox } from "./events.ts";
import { holdBatches } from "./held-store.ts";
import { checkedLines } from "./lines.ts";
import { batchLeaseMs, runBatch, runDueBatch, startBatchRunner } from "./runner.ts";
import { cancelBatch, endLines, leaseDueBatch } from "./store.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "100.00");
});
afterEach(async () => {
  platform.world.quoting = {};
  platform.world.offsetMs = 0;
  platform.faults.claim = () => undefined;
  await Promise.all(
    [platform.batches, platform.lines, platform.payouts].map((each) => each.deleteMany({})),
  );
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

const line = (change: object = {}) => ({
  ...{ accountId, beneficiaryId: "ben_1", sourceAmount: "10.00", referenceId: "salary" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD", ...change },
});
const asked = (lines: object[], change: object = {}) => ({
  ...{ mutation: platform.operation(), merchantId, referenceId: "payroll", lines, ...change },
});

async function make(lines: object[]): Promise<string> {
  return (await platform.ordersRpc.createBatch(asked(lines))).batch?.id ?? "";
}

async function approved(lines: object[], maxTotalAmount = "1000.00"): Promise<string> {
  const batchId = await make(lines);
  await approve(batchId, maxTotalAmount);
  return batchId;
}

const approve = (batchId: string, maxTotalAmount = "1000.00", mutation = platform.operation()) =>
  platform.ordersRpc.approveBatch({ mutation, merchantId, batchId, maxTotalAmount });
const cancel = (batchId: string) =>
  platform.ordersRpc.cancelBatch({ mutation: platform.operation(), merchantId, batchId });

/**
 * `running 0/2/1/0`: the state, and the number of waiting, executed, failed and cancelled lines.
 */
const shownAs = ({ state, ...of }: Batch) =>
  `${enumName(BatchState, state)} ${of.waitingCount}/${of.executedCount}/${of.failedCount}/${of.cancelledCount}`;
async function read(batchId: string) {
  const { batch } = await platform.ordersRpc.getBatch({ merchantId, batchId });
  if (batch === undefined) throw new Error("no batch");
  return batch;
}
const faceOf = async (batchId: string) => shownAs(await read(batchId));

async function linesOf(batchId: string) {
  const { lines } = await platform.ordersRpc.listBatchLines({ merchantId, batchId, limit: 500 });
  return lines;
}
const failuresOf = async (batchId: string) =>
  (await linesOf(batchId)).map(({ state, failureCode }) =>
    `${enumName(BatchLineState, state)} ${failureCode}`.trim(),
  );

const balance = async () => {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return { available: account?.available, held: account?.held };
};

const deps = () => ({
  ...platform.parts,
  ...{ orders: platform.lines, isStopping: () => false },
});
const run = () => runDueBatch(deps());
/** Ends the lease of the process that had the batch. */
async function makeDue(_id: string) {
  const at = new Date(Date.now() - 1_000);
  await platform.batches.updateOne({ _id, state: "running" }, { $set: { due_at: at } });
}

describe("a batch", () => {
  it("waits for its approval, and then pays each line once, in order", async () => {
    const lines = [line(), line({ sourceAmount: "", receivingAmount: "5.00" }), line()];
    const batchId = await make(lines);
    expect(await run()).toBe(false);
    expect(await read(batchId)).toMatchObject({
      ...{ lineCount: 3, referenceId: "payroll", maxTotalAmount: "", totalAmount: "0.00" },
      sourceTotal: { currencyCode: "USD", amount: "20.00", lines: 2 },
      receivingTotals: [{ currencyCode: "USD", amount: "5.00", lines: 1 }],
    });
    expect(await faceOf(batchId)).toBe("awaiting_approval 3/0/0/0");
    await approve(batchId);
    expect(await faceOf(batchId)).toBe("running 3/0/0/0");
    await run();
    expect(await faceOf(batchId)).toBe("finished 0/3/0/0");
    expect(await run()).toBe(false);
    expect((await read(batchId)).totalAmount).toBe("25.00");
    expect(await balance()).toEqual({ available: "75.00", held: "25.00" });
    const found = await linesOf(batchId);
    expect(found.map(({ number, sourceAmount }) => [number, sourceAmount])).toEqual([
      [1, "10.00"],
      [2, "5.00"],
      [3, "10.00"],
    ]);
    expect(new Set(found.map(({ payoutId }) => payoutId)).size).toBe(3);
  });

  it("names its creator, who also created its payouts", async () => {
    const actor = { kind: Actor_Kind.API_KEY, id: "key_1", name: "payroll" };
    const request = asked([line()], { mutation: { ...platform.operation(), actor } });
    const { batch } = await platform.ordersRpc.createBatch(request);
    expect(batch?.createdBy).toMatchObject(actor);
    const batchId = batch?.id ?? "";
    await approve(batchId);
    await run();
    const { payouts } = await platform.rpc.listPayouts({ merchantId, batchId });
    expect(payouts.map(({ createdBy }) => createdBy)).toMatchObject([actor]);
    const [finished] = await batchOutbox(platform.batches).due(10);
    const { dataJson } = fromBinary(OptInEventSchema, finished?.body ?? new Uint8Array());
    const created_by = { id: "key_1", type: "api_key", name: "payroll" };
    expect(JSON.parse(dataJson)).toMatchObject({ id: batchId, created_by });
  });

  it("is created once per operation; another operation creates another batch", async () => {
    const request = asked([line()]);
    const { batch: first } = await platform.ordersRpc.createBatch(request);
    const { batch: again } = await platform.ordersRpc.createBatch(request);
    expect(again?.id).toBe(first?.id);
    const other = { ...request, lines: [line({ sourceAmount: "11.00" })] };
    expect(await codeOf(platform.ordersRpc.createBatch(other))).toBe("INVALID_REQUEST");
    expect(await make([line()])).not.toBe(first?.id);
    expect(await platform.lines.countDocuments()).toBe(2);
  });

  it("is its merchant's own, and listed by its state", async () => {
    const [waiting, running] = [await make([line()]), await approved([line()])];
    const foreign = { merchantId: "mer_2", batchId: waiting };
    expect(await codeOf(platform.ordersRpc.getBatch(foreign))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(platform.ordersRpc.listBatchLines(foreign))).toBe("RECORD_NOT_FOUND");
    const ids = async (state?: BatchState) => {
      const { batches } = await platform.ordersRpc.listBatches({
        ...{ merchantId, ...(state && { state }) },
      });
      return batches.map(({ id }) => id);
    };
    expect((await ids()).toSorted()).toEqual([waiting, running].toSorted());
    expect(await ids(BatchState.RUNNING)).toEqual([running]);
  });

  it("is named by its payouts, which carry the metadata of their lines", async () => {
    const batchId = await approved([line({ metadata: { employee: "17" } }), line()]);
    const other = await approved([line()]);
    for (const _ of [batchId, other]) await run();
    const { payouts, totalCount } = await platform.rpc.listPayouts({ merchantId, batchId });
    expect(payouts.map((each) => each.batchId)).toEqual([batchId, batchId]);
    expect(payouts.map(({ metadata }) => metadata)).toContainEqual({ employee: "17" });
    expect(totalCount).toBe(2n);
    expect((await linesOf(batchId)).map(({ metadata }) => metadata)).toEqual([
      ...[{ employee: "17" }, {}],
    ]);
    const metadata = { "a b": "no key" };
    expect(await codeOf(make([line({ metadata })]))).toBe("INVALID_REQUEST");
  });

  it("pays a duplicate line if allowed explicitly or by the guard", async () => {
    const actor = { kind: Actor_Kind.OPERATOR, id: "ada" };
    const guarded = (duplicateWindowSeconds: number) =>
      platform.operatorRpc.setPayoutControls({
        ...{ merchantId, duplicateWindowSeconds },
        mutation: { operationId: platform.operation().operationId, actor },
      });
    await guarded(3_600);
    await approved([line({ referenceId: "twice" })]);
    await run();
    const lines = [true, false].map((allowDuplicate) =>
      line({ referenceId: "twice", allowDuplicate }),
    );
    const batchId = await approved(lines);
    await run();
    expect(await failuresOf(batchId)).toEqual(["executed", "failed POSSIBLE_DUPLICATE"]);
    await guarded(0);
  });

  it("gives its lines in pages, and by their state", async () => {
    const batchId = await approved([line(), line({ sourceAmount: "500.00" }), line()]);
    await run();
    const page = (change: object) =>
      platform.ordersRpc.listBatchLines({ merchantId, batchId, ...change });
    const first = await page({ limit: 2 });
    const rest = await page({ limit: 2, cursor: first.nextCursor });
    expect([...first.lines, ...rest.lines].map(({ number }) => number)).toEqual([1, 2, 3]);
    expect([rest.nextCursor, rest.totalCount]).toEqual(["", 3n]);
    const failed = await page({ state: BatchLineState.FAILED });
    expect(failed.lines.map(({ number }) => number)).toEqual([2]);
  });

  it("doesn't refuse an account unless its absence is proven", async () => {
    const watchPrimary = () => () => Promise.reject(new Error("a former primary"));
    const deps = { ...platform.parts, mode: "sandbox", watchPrimary } as const;
    const checked = (change: object) => {
      const terms = create(BatchTermsSchema, line(change));
      return checkedLines(deps, merchantId, { lines: [terms], unreadable: [] });
    };
    expect(await checked({})).toMatchObject({ lines: [{ problems: [] }], ofBody: [] });
    await expect(checked({ accountId: "acc_x" })).rejects.toThrow("a former primary");
  });

  it.each<[string, object[], string, object?]>([
    ["no line", [], "lines: is required"],
    [
      "a field that is malformed",
      [{}, { sourceAmount: "x" }],
      "lines[1].source_amount: must be a decimal number",
    ],
    ["no amount", [{ sourceAmount: "" }], "lines[0].source_amount: is required"],
    [
      "a beneficiary that is not there",
      [{ beneficiaryId: "ben_x" }],
      "lines[0].beneficiary_id: must be one of your beneficiaries",
    ],
    [
      "an account that is not there",
      [{ accountId: "acc_x" }],
      "lines[0].account_id: must be one of your accounts",
    ],
    [
      "two accounts",
      [{}, { accountId: "acc_x" }],
      "lines[1].account_id: must be the same in all lines",
    ],
    [
      "another currency than the beneficiary's",
      [{ destinationCurrencyCode: "INR" }],
      "lines[0].destination_currency_code: must be the beneficiary's currency, USD",
    ],
    [
      "a name that is too long",
      [{}],
      "file_name: must be at most 255 characters",
      { fileName: "x".repeat(256) },
    ],
    [
      "a batch to correct that is not there",
      [{}],
      "corrects_batch_id: must be one of your batches",
      { correctsBatchId: "bat_x" },
    ],
  ])("is refused with %s, and nothing is stored", async (_what, changes, message, more = {}) => {
    const lines = changes.map((change) => line(change));
    const refusal = await platform.ordersRpc.createBatch(asked(lines, more)).catch(readRefusal);
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", message });
    expect(await platform.lines.countDocuments()).toBe(0);
  });
});

describe("a batch that corrects another", () => {
  /** A finished batch: `a` is paid, `b` and `c` have failed. */
  async function withFailures() {
    const costs = [
      ["a", "10.00"],
      ["b", "500.00"],
      ["c", "600.00"],
    ];
    const lines = costs.map(([referenceId, sourceAmount]) => line({ referenceId, sourceAmount }));
    const batchId = await approved(lines, "5000.00");
    await run();
    expect(await faceOf(batchId)).toBe("finished 0/1/2/0");
    return batchId;
  }
  const correct = (correctsBatchId: string, references: string[], change: object = {}) =>
    platform.ordersRpc.createBatch(
      asked(
        references.map((referenceId) => line({ referenceId, sourceAmount: "1.00" })),
        { correctsBatchId, ...change },
      ),
    );
  const problemsOf = async (call: Promise<unknown>) =>
    readRefusal(await call.catch((error: unknown) => error))?.message;

  it("pays failed lines again, once", async () => {
    const first = await withFailures();
    const { batch } = await correct(first, ["b"]);
    const second = batch?.id ?? "";
    expect(batch).toMatchObject({ correctsBatchId: first });
    const corrected = (await linesOf(first)).map(({ correctedByBatchId: id }) => id);
    expect(corrected).toEqual(["", second, ""]);
    expect(await problemsOf(correct(first, ["b", "a", ""]))).toBe(
      "lines[0].reference_id: was corrected before: another line or batch pays this line; lines[1].reference_id: must be that of a failed line: this line has not failed; lines[2].reference_id: is required to correct a failed line",
    );
    await approve(second);
    await run();
    expect(await faceOf(second)).toBe("finished 0/1/0/0");
    expect((await balance()).held).toBe("11.00");
    expect(await problemsOf(correct(first, ["b"]))).toMatch(/was corrected before/);
    expect(await problemsOf(correct(first, ["c"]))).toBeUndefined();
  });

  it("may be cancelled or fail, and its lines are corrected again", async () => {
    const first = await withFailures();
    const { batch } = await correct(first, ["b"]);
    await cancel(batch?.id ?? "");
    const { batch: again } = await correct(first, ["b", "c"]);
    expect((await linesOf(first))[1]?.correctedByBatchId).toBe(again?.id);
  });

  it.each([0, 1])("fails too: only one batch pays its line, by chain %i", async (chosen) => {
    const first = await withFailures();
    const dear = [line({ referenceId: "b", sourceAmount: "500.00" })];
    const { batch } = await platform.ordersRpc.createBatch(asked(dear, { correctsBatchId: first }));
    const second = batch?.id ?? "";
    await approve(second);
    await run();
    expect(await faceOf(second)).toBe("finished 0/0/1/0");
    const both = [first, second];
    expect(await problemsOf(correct(both[chosen] ?? "", ["b"]))).toBeUndefined();
    for (const each of both) {
      expect(await problemsOf(correct(each, ["b"]))).toMatch(/was corrected before/);
    }
  });

  it("is another merchant's or not stored: refused", async () => {
    const first = await withFailures();
    const foreign = correct(first, ["b"], { merchantId: "mer_2" });
    expect(await problemsOf(foreign)).toMatch(/corrects_batch_id: must be one of your batches/);
  });

  it("of two at the same time, one pays a line", async () => {
    const first = await withFailures();
    const answers = await Promise.allSettled([correct(first, ["b"]), correct(first, ["b"])]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const open = { "details.reference_id": "b", state: "waiting" } as const;
    const batches = await platform.batches.distinct("_id");
    expect(await platform.lines.countDocuments({ ...open, batch_id: { $in: batches } })).toBe(1);
  });

  it("survives a crash before its batch is stored, also if another corrects the line", async () => {
    const first = await withFailures();
    const request = { mutation: platform.operation() };
    const { batch } = await correct(first, ["b"], request);
    const second = batch?.id ?? "";
    const stored = await platform.batches.findOneAndDelete({ _id: second });
    const repeated = await correct(first, ["b"], request);
    expect(repeated.batch?.id).toBe(second);
    await platform.batches.deleteOne({ _id: second });
    expect(await problemsOf(correct(first, ["b"]))).toMatch(/was corrected before/);
    platform.world.offsetMs = 61_000;
    const { batch: other } = await correct(first, ["b"]);
    platform.world.offsetMs = 0;
    expect(other?.id).not.toBe(second);
    // The first request was only slow: its batch is stored now, and pays nothing.
    if (stored !== null) await platform.batches.insertOne(stored);
    await approve(second);
    await run();
    expect(await faceOf(second)).toBe("finished 0/0/0/1");
  });
});

it("every mistake of a batch is reported at once, with its lines and rows", async () => {
  const lines = [
    line({ accountId: "acc_x", sourceAmount: "ten", referenceId: "a" }),
    line({ beneficiaryId: "ben_x", sourceAmount: "1.001", referenceId: "b" }),
    line({ beneficiaryId: "ben_x", destinationCurrencyCode: "INR", referenceId: "c" }),
    line({ sourceCurrencyCode: "EUR", maxSourceAmount: "0.001", purposeCode: "x" }),
  ];
  const unreadable = [
    { field: "source_ammount", problem: "is not known here" },
    { field: "lines[3].metadata", problem: "must be an object" },
    { field: "lines[2]", problem: "has 3 of 4 cells" },
  ];
  const rows = [2, 3, 5, 6];
  const request = asked(lines, { unreadable, rows, correctsBatchId: "bat_x" });
  const refusal = readRefusal(
    await platform.ordersRpc.createBatch(request).catch((error: unknown) => error),
  );
  const named = refusal?.violations?.map(({ field, problem, lines: of }) =>
    [field, problem, ...(of?.numbers.length === 0 ? [] : [of?.rows.join()])].join(" | "),
  );
  expect(named).toEqual([
    "source_ammount | is not known here | ",
    "corrects_batch_id | must be one of your batches | ",
    "lines[0].source_amount | must be a decimal number | 2",
    "lines[0].account_id | must be the same in all lines | 2",
    "lines[1].beneficiary_id | must be one of your beneficiaries | 3,5",
    "lines[1].source_amount | must have at most 2 decimals | 3",
    "lines[2] | has 3 of 4 cells | 5",
    "lines[3].purpose_code | must be an ISO 20022 purpose code: four capital letters, such as SUPP | 6",
    "lines[3].metadata | must be an object | 6",
    "lines[3].source_currency_code | must be the account's currency, USD | 6",
    "lines[3].max_source_amount | must have at most 2 decimals | 6",
  ]);
  expect(refusal?.violations?.[2]?.lines?.referenceId).toBe("a");
  expect(await platform.lines.countDocuments()).toBe(0);
});

it("a batch of more than 10,000 lines is refused", async () => {
  const lines = Array.from({ length: 10_001 }, () => line());
  const refusal = await platform.ordersRpc.createBatch(asked(lines)).catch(readRefusal);
  expect(refusal).toMatchObject({ message: "lines: must have at most 10000 entries" });
});

describe("the approval of a batch", () => {
  it("needs a maximum that covers the lines with a source amount", async () => {
    const batchId = await make([line(), line({ sourceAmount: "", receivingAmount: "5.00" })]);
    const refusal = await approve(batchId, "9.99").catch(readRefusal);
    expect(refusal).toMatchObject({
      message:
        "max_total_amount: must be at least 10.00, the sum of the 1 lines with a source amount",
    });
    expect(await faceOf(batchId)).toBe("awaiting_approval 2/0/0/0");
    expect(await codeOf(approve(batchId, "10.00"))).toBe("OK");
  });

  it("is approved once: a repeat returns its result, another operation is refused", async () => {
    const batchId = await make([line()]);
    const mutation = platform.operation();
    await approve(batchId, "50.00", mutation);
    expect(await codeOf(approve(batchId, "50.00", mutation))).toBe("OK");
    expect(await codeOf(approve(batchId, "90.00"))).toBe("NOT_AWAITING_APPROVAL");
    expect((await read(batchId)).maxTotalAmount).toBe("50.00");
    expect(await codeOf(approve("bat_x"))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(approve(batchId, "1.001"))).toBe("INVALID_REQUEST");
  });

  it("limits the total cost to the cent; a smaller later line still fits", async () => {
    const amounts = ["10.00", "10.01", "9.99", "0.02", "0.01"];
    const batchId = await approved(
      amounts.map((receivingAmount) => line({ sourceAmount: "", receivingAmount })),
      "20.00",
    );
    platform.world.quoting = {};
    await run();
    const exceeded = "failed BATCH_TOTAL_EXCEEDED";
    // Four are quoted at a time, so the order of their quotes decides which ones fit.
    const failures = await failuresOf(batchId);
    expect(failures.filter((each) => each === exceeded).length).toBeGreaterThan(0);
    const { totalAmount } = await read(batchId);
    expect(Number(totalAmount)).toBeLessThanOrEqual(20);
    expect((await balance()).held).toBe(totalAmount);
  });

  it("counts nothing for a line that failed after its quote", async () => {
    const lines = ["500.00", "20.00"].map((receivingAmount) =>
      line({ sourceAmount: "", receivingAmount }),
    );
    const batchId = await approved(lines, "500.00");
    platform.world.quoting = {};
    await run();
    await makeDue(batchId);
    const [first, second] = await failuresOf(batchId);
    expect(first).toBe("failed INSUFFICIENT_BALANCE");
    expect(["executed", "failed BATCH_TOTAL_EXCEEDED"]).toContain(second);
  });
});

it("the end of a batch is published until the bus has it, once by its id", async () => {
  const batchId = await approved([line(), line({ sourceAmount: "500.00" })]);
  const outbox = batchOutbox(platform.batches);
  expect(await outbox.due(10)).toEqual([]);
  await run();
  const messages = await outbox.due(10);
  expect(await outbox.due(10)).toEqual(messages);
  const [message, ...more] = messages;
  expect([message?.key, more]).toEqual(["opt_in.batch_finished", []]);
  const event = fromBinary(OptInEventSchema, message?.body ?? new Uint8Array());
  expect(event).toMatchObject({
    ...{ eventId: message?.id, merchantId, transactionType: "batch.finished" },
    ...{ transactionId: batchId, status: "finished", sequence: 1n },
  });
  expect(event.dataJson).toContain('"executed_count":1,"failed_count":1,"cancelled_count":0');
  expect(event.dataJson).toContain('"total_amount":10.00');
  await outbox.published(messages);
  expect(await outbox.due(10)).toEqual([]);
});

it("lines that cannot be paid fail alone, with their reasons", async () => {
  const lines = [
    line(),
    line({ sourceAmount: "95.00" }),
    line({ maxSourceAmount: "20.00", sourceAmount: "10.00" }),
  ];
  const batchId = await approved(lines);
  await run();
  expect(await failuresOf(batchId)).toEqual([
    "executed",
    "failed INSUFFICIENT_BALANCE",
    "executed",
  ]);
  expect(await faceOf(batchId)).toBe("finished 0/2/1/0");
});

describe("a batch is cancelled", () => {
  it("before its approval, as a whole", async () => {
    const batchId = await make([line(), line()]);
    await cancel(batchId);
    await cancel(batchId);
    expect(await faceOf(batchId)).toBe("cancelled 0/0/0/2");
    expect(await codeOf(approve(batchId))).toBe("NOT_AWAITING_APPROVAL");
    const lines = await linesOf(batchId);
    expect(lines.map(({ state }) => state)).toEqual(Array(2).fill(BatchLineState.CANCELLED));
    expect(await run()).toBe(false);
  });

  it("while it runs, but for lines that are begun", async () => {
    const batchId = await approved([line(), line(), line()]);
    const leased = await leaseDueBatch(platform.batches, new Date(), batchLeaseMs);
    if (leased === undefined) throw new Error("not leased");
    const stopping = { ...deps(), isStopping: () => true };
    await runBatch(stopping, leased);
    await platform.lines.updateOne(
      { batch_id: batchId, line: 1 },
      { $set: { quote: (await quoteOf()) as never } },
    );
    await cancel(batchId);
    await makeDue(batchId);
    await run();
    expect(await faceOf(batchId)).toBe("finished 0/1/0/2");
    expect(await codeOf(cancel(batchId))).toBe("OK");
  });

  it("completely if it is held in the meantime", async () => {
    const batchId = await approved([line(), line()]);
    const hold = { stoppedFor: "key_1", lastsMs: 60_000 };
    // A key of its maker is revoked between two writes of the cancellation.
    const between = intercepted(platform.batches, ["updateOne"], async (proceed) => {
      const updated = await proceed();
      await holdBatches(platform.batches, { _id: batchId, stopped_for: { $ne: "key_1" } }, hold);
      return updated;
    });
    await cancelBatch(between, platform.lines, batchId);
    expect(await platform.batches.findOne({ _id: batchId })).toMatchObject({
      state: "running",
      cancelled_at: expect.any(Date),
    });
    await makeDue(batchId);
    await run();
    expect(await faceOf(batchId)).toBe("finished 0/0/0/2");
  });

  it("never when it is finished", async () => {
    const batchId = await approved([line()]);
    await run();
    expect(await codeOf(cancel(batchId))).toBe("NOT_CANCELLABLE");
    await endLines(platform.lines, batchId, { state: "cancelled" });
    expect(await faceOf(batchId)).toBe("finished 0/1/0/0");
  });
});

async function quoteOf() {
  const { toDecimal128 } = await import("@disburse/chassis/mongo/database.ts");
  const id = platform.quote(accountId);
  return { id, source_minor: toDecimal128(1_000n), receiving_minor: toDecimal128(1_000n) };
}

it("while a service is away the rest of a batch waits, and goes on afterwards", async () => {
  const batchId = await approved([line(), line()]);
  platform.faults.claim = () => {
    throw new Error("away");
  };
  await run();
  expect(await faceOf(batchId)).toBe("running 2/0/0/0");
  const idle = await platform.batches.findOne({ _id: batchId });
  expect(idle?.moved_at).toEqual(idle?.approval?.at);
  platform.faults.claim = () => undefined;
  await makeDue(batchId);
  await run();
  expect(await faceOf(batchId)).toBe("finished 0/2/0/0");
  const moved = await platform.batches.findOne({ _id: batchId });
  expect(moved?.moved_at?.getTime()).toBeGreaterThan(Number(moved?.approval?.at));
  expect(await balance()).toEqual({ available: "80.00", held: "20.00" });
});

it("waits while rail workers have enough to do, and stops with its process", async () => {
  const batchId = await approved([line()]);
  const busy = {
    ...deps(),
    payouts: Object.assign(Object.create(platform.payouts), {
      countDocuments: async () => 1_000,
    }),
  };
  const runner = startBatchRunner({ ...busy, manual: undefined, batchDue: createWake() });
  await vi.waitFor(async () => {
    const found = await platform.batches.findOne({ _id: batchId });
    expect(found?.lease).toBeDefined();
  }, 10_000);
  await runner.stop();
  expect(await faceOf(batchId)).toBe("running 1/0/0/0");
  // Another process continues at once.
  expect(await run()).toBe(true);
  expect(await faceOf(batchId)).toBe("finished 0/1/0/0");
});

it("a process that lost its lease begins no line any more", async () => {
  const receiving = { sourceAmount: "", receivingAmount: "10.00" };
  const batchId = await approved([line(receiving), line(receiving)], "10.00");
  const late = await leaseDueBatch(platform.batches, new Date(), batchLeaseMs);
  if (late === undefined) throw new Error("not leased");
  const reached = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const quote = {
    ...platform.parts.quote,
    createQuote: async (...args: Parameters<typeof platform.parts.quote.createQuote>) => {
      const answer = await platform.parts.quote.createQuote(...args);
      reached.resolve();
      await going.promise;
      return answer;
    },
  };
  const slow = runBatch({ ...deps(), quote }, late);
  await reached.promise;
  await makeDue(batchId);
  await run();
  going.resolve();
  await slow;
  expect(await faceOf(batchId)).toBe("finished 0/1/1/0");
  expect(await balance()).toEqual({ available: "90.00", held: "10.00" });
});

/** The parts of a process that dies at a step. */
async function dyingProcess(step: number) {
  const process = dyingAt(step);
  const database = process.database(platform.database);
  const velocity = await openVelocityLimits(platform.database);
  const parts = {
    ...deps(),
    ledger: openLedger(database),
    payouts: openPayouts(database),
    reservations: createVelocityReservations(velocity, platform.controls, openUsage(database)),
    batches: openBatches(database),
    orders: openBatchLines(database),
    quote: process.calls(platform.parts.quote),
  };
  return { hasDied: process.hasDied, run: () => runDueBatch(parts) };
}

it("a process that dies in the middle leaves a batch that another one finishes, each line once", async () => {
  let died = 0;
  // Every third step: `scheduled.int.test.ts` tries each step of a line.
  for (let step = 0; ; step += 3) {
    accountId = await platform.fundedAccount(merchantId, "100.00");
    const batchId = await approved([line(), line(), line({ sourceAmount: "200.00" })], "1000.00");
    const dying = await dyingProcess(step);
    await dying.run().catch(() => undefined);
    if (!dying.hasDied()) break;
    died += 1;
    await makeDue(batchId);
    await run();
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    platform.world.offsetMs = 0;
    await makeDue(batchId);
    await run();
    expect(await faceOf(batchId), `step ${step}`).toBe("finished 0/2/1/0");
    expect(await balance(), `step ${step}`).toEqual({ available: "80.00", held: "20.00" });
    const made = await platform.payouts.countDocuments({ account_id: accountId });
    expect(made, `step ${step}`).toBe(2);
  }
  expect(died).toBeGreaterThan(8);
});
