import { Code, type ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { openLedger } from "@disburse/ledger/accounts.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isCreated } from "../payouts/document.ts";
import { openPayouts } from "../payouts/store.ts";
import { dyingAt } from "../test-dying.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openVelocityLimits } from "../velocity/limits.ts";
import { createVelocityReservations } from "../velocity/reservations.ts";
import { openUsage } from "../velocity/usage.ts";
import { openScheduledPayouts } from "./document.ts";
import { executeDueOrders, executeOrder, orderLeaseMs } from "./execute-order.ts";
import { patienceMs } from "./rules/order.ts";
import { leaseDueOrder } from "./store.ts";

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
  platform.world.screening = ScreeningStatus.CLEARED;
  platform.world.quoting = {};
  platform.world.offsetMs = 0;
  Object.assign(platform.faults, { claim: () => undefined, afterClaim: () => undefined });
  await platform.orders.deleteMany({});
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

function asked(change: object = {}) {
  return {
    ...{ mutation: platform.operation(), merchantId, accountId, beneficiaryId: "ben_1" },
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD", sourceAmount: "10.00" },
    ...{ referenceId: "rent", scheduledAt: new Date(Date.now() + 60_000).toISOString() },
    ...change,
  };
}

async function schedule(change: object = {}): Promise<string> {
  const { scheduledPayout } = await platform.ordersRpc.schedulePayout(asked(change));
  return scheduledPayout?.id ?? "";
}

it("names its creator, who also created its payout", async () => {
  const actor = { kind: Actor_Kind.API_KEY, id: "key_1", name: "rents" };
  const id = await schedule({ mutation: { ...platform.operation(), actor } });
  expect((await read(id))?.createdBy).toMatchObject(actor);
});

const read = async (id: string) => {
  const { scheduledPayout } = await platform.ordersRpc.getScheduledPayout({
    ...{ merchantId, scheduledPayoutId: id },
  });
  if (scheduledPayout === undefined) throw new Error("none was read");
  const { status, subStatus, failureCode } = scheduledPayout;
  const shown = [enumName(PayoutStatus, status), enumName(PayoutSubStatus, subStatus), failureCode];
  const words = shown.join(" ").trim();
  return { ...scheduledPayout, words };
};

async function listed(subStatus: PayoutSubStatus) {
  const page = await platform.ordersRpc.listScheduledPayouts({ merchantId, subStatus, limit: 100 });
  return page.scheduledPayouts.map(({ id }) => id);
}

const cancel = (id: string) =>
  platform.ordersRpc.cancelScheduledPayout({
    ...{ mutation: platform.operation(), merchantId, scheduledPayoutId: id },
  });

const balance = async () => {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return { available: account?.available, held: account?.held };
};

/** Makes an order due, or ends its lease. */
async function makeDue(id: string) {
  const at = new Date(Date.now() - 1_000);
  await platform.orders.updateOne({ _id: id, state: "waiting" }, { $set: { due_at: at } });
}

const run = () => platform.loops.run("orders");
const runWhenDue = async (id: string) => {
  await makeDue(id);
  await run();
};

async function lease(id: string) {
  await makeDue(id);
  const leased = await leaseDueOrder(platform.orders, new Date(), orderLeaseMs);
  if (leased === undefined) throw new Error("nothing was leased");
  return leased;
}

it("a duplicate scheduled payout is created if that is allowed", async () => {
  const guarded = (duplicateWindowSeconds: number) =>
    platform.operatorRpc.setPayoutControls({
      ...{ ...by("ada", Actor_Kind.OPERATOR), duplicateWindowSeconds },
    });
  await guarded(3_600);
  const referenceId = "rent-twice";
  const ids = [{}, {}, { allowDuplicate: true }].map((change) =>
    schedule({ referenceId, ...change }),
  );
  const [first = "", second = "", allowed = ""] = await Promise.all(ids);
  for (const id of [first, second, allowed]) await runWhenDue(id);
  expect((await read(first)).words).toBe("initiated queued");
  expect((await read(second)).words).toBe("failed rejected POSSIBLE_DUPLICATE");
  expect((await read(allowed)).words).toBe("initiated queued");
  await guarded(0);
});

const by = (id: string, kind: Actor_Kind = Actor_Kind.API_KEY) => ({
  mutation: { operationId: platform.operation().operationId, actor: { kind, id } },
  merchantId,
});

describe("a scheduled payout that its merchant's rules catch", () => {
  const setRules = (approval?: { amounts: { currencyCode: string; minimum: string }[] }) =>
    platform.operatorRpc.setPayoutControls({
      ...by("ada", Actor_Kind.OPERATOR),
      approval: approval ?? {},
    });
  afterEach(() => setRules());

  it("awaits another actor than its maker after its creation, and can be cancelled", async () => {
    const [approved, cancelled] = [await schedule(by("key_1")), await schedule(by("key_1"))];
    await setRules({ amounts: [{ currencyCode: "USD", minimum: "10.00" }] });
    for (const id of [approved, cancelled]) await runWhenDue(id);
    const { payoutId, words } = await read(approved);
    expect(words).toBe("initiated awaiting_approval");
    await platform.after(60_000);
    expect((await read(approved)).words).toBe("initiated awaiting_approval");
    const approve = (id: string) => platform.rpc.approvePayout({ ...by(id), payoutId });
    expect(await codeOf(approve("key_1"))).toBe("ACCESS_FORBIDDEN");
    expect(await codeOf(approve("key_2"))).toBe("OK");
    await cancel(cancelled);
    expect((await read(cancelled)).words).toBe("failed cancelled CANCELLED");
    expect(await balance()).toEqual({ available: "90.00", held: "10.00" });
  });
});

const madeOf = (id: string) =>
  platform.payouts.countDocuments({ "order.operation_id": { $regex: `^${id}[.]` }, ...isCreated });

describe("a scheduled payout", () => {
  it("waits for its time, and is then quoted and executed once", async () => {
    const metadata = { lease: "B-7" };
    const id = await schedule({ metadata });
    await run();
    expect(await read(id)).toMatchObject({
      ...{ metadata, words: "initiated scheduled", sourceAmount: "10.00", receivingAmount: "" },
      ...{ payoutId: "", referenceId: "rent", maxSourceAmount: "" },
    });
    expect(await balance()).toEqual({ available: "100.00", held: "0.00" });
    await runWhenDue(id);
    await run();
    const { payoutId, words, receivingAmount } = await read(id);
    expect([words, receivingAmount]).toEqual(["initiated queued", "10.00"]);
    expect(await balance()).toEqual({ available: "90.00", held: "10.00" });
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
    expect(payout).toMatchObject({
      ...{ referenceId: "rent", sourceAmount: "10.00", metadata },
      ...{ scheduledPayoutId: id, batchId: "" },
    });
    expect(await madeOf(id)).toBe(1);
  });

  it("is leased by the database's clock, not by one that is ahead", async () => {
    const id = await schedule();
    const ahead = new Date(Date.now() + 3_600_000);
    expect(await leaseDueOrder(platform.orders, ahead, orderLeaseMs)).toBeUndefined();
    await makeDue(id);
    const [first, second] = await Promise.all(
      [1, 2].map(() => leaseDueOrder(platform.orders, ahead, orderLeaseMs)),
    );
    expect([first, second].filter((each) => each !== undefined)).toHaveLength(1);
  });

  it("is its merchant's own, and is listed by whether it waits", async () => {
    const [done, waiting] = [await schedule(), await schedule()];
    await runWhenDue(done);
    const foreign = { merchantId: "mer_2", scheduledPayoutId: done };
    expect(await codeOf(platform.ordersRpc.getScheduledPayout(foreign))).toBe("RECORD_NOT_FOUND");
    const ids = async (filter: object) => {
      const page = await platform.ordersRpc.listScheduledPayouts({ merchantId, ...filter });
      return page.scheduledPayouts.map((each) => each.id);
    };
    expect(await ids({})).toEqual([waiting, done]);
    expect(await ids({ waiting: true })).toEqual([waiting]);
    expect(await codeOf(platform.ordersRpc.listScheduledPayouts({}))).toBe("INVALID_REQUEST");
    expect(await codeOf(listed(PayoutSubStatus.SETTLED))).toBe("INVALID_REQUEST");
  });

  it("is ordered once by its operation", async () => {
    const request = asked();
    const { scheduledPayout: first } = await platform.ordersRpc.schedulePayout(request);
    const { scheduledPayout: again } = await platform.ordersRpc.schedulePayout(request);
    expect(again?.id).toBe(first?.id);
    const other = { ...request, sourceAmount: "11.00" };
    expect(await codeOf(platform.ordersRpc.schedulePayout(other))).toBe("INVALID_REQUEST");
  });

  it.each([
    ["an account that is not there", { accountId: "acc_x" }, "RECORD_NOT_FOUND"],
    ["a beneficiary that is not there", { beneficiaryId: "ben_x" }, "RECORD_NOT_FOUND"],
    ["another currency than the account's", { sourceCurrencyCode: "INR" }, "INVALID_REQUEST"],
    ["a time that is past", { scheduledAt: "2020-01-01" }, "INVALID_REQUEST"],
    ["no time", { scheduledAt: "" }, "INVALID_REQUEST"],
    ["no amount", { sourceAmount: "" }, "INVALID_REQUEST"],
  ])("is refused with %s", async (_what, change, code) => {
    expect(await codeOf(platform.ordersRpc.schedulePayout(asked(change)))).toBe(code);
    expect(await platform.orders.countDocuments()).toBe(0);
  });
});

describe("a payout that can't be created when it is due fails with a reason", () => {
  it.each([
    [
      "a cost above its maximum",
      { maxSourceAmount: "10.00" },
      { cost: "10.01" },
      "COST_ABOVE_MAXIMUM",
    ],
    ["too little money", {}, { cost: "100.01" }, "INSUFFICIENT_BALANCE"],
    ["a corridor that is closed", {}, { refusal: "CORRIDOR_NOT_ACTIVE" }, "CORRIDOR_NOT_ACTIVE"],
  ] as const)("%s", async (_what, change, quoting, failureCode) => {
    const id = await schedule(change);
    platform.world.quoting = quoting;
    await runWhenDue(id);
    const failed = await read(id);
    expect(failed).toMatchObject({ words: `failed rejected ${failureCode}`, payoutId: "" });
    expect(await listed(PayoutSubStatus.REJECTED)).toContain(failed.id);
    expect(failed.failureMessage).not.toBe("");
    expect(await balance()).toEqual({ available: "100.00", held: "0.00" });
    platform.world.quoting = {};
    await runWhenDue(id);
    expect(await madeOf(id)).toBe(0);
  });

  it("is executed at exactly its maximum", async () => {
    const id = await schedule({ maxSourceAmount: "10.00" });
    await runWhenDue(id);
    expect((await read(id)).words).toBe("initiated queued");
  });

  it("waits for the screening of its beneficiary, for a day", async () => {
    const id = await schedule();
    platform.world.quoting = { refusal: "BENEFICIARY_NOT_READY" };
    await runWhenDue(id);
    expect((await read(id)).words).toBe("initiated scheduled");
    platform.world.offsetMs = patienceMs + 60_000;
    await runWhenDue(id);
    expect((await read(id)).words).toBe("failed rejected BENEFICIARY_NOT_READY");
  });

  it("gets another quote if its own expired before execution", async () => {
    const id = await schedule();
    platform.world.quoting = { expiresAt: new Date(Date.now() - 1) };
    const leased = await lease(id);
    await executeOrder(platform.parts, leased);
    expect(await platform.orders.findOne({ _id: id })).toMatchObject({ attempt: 2 });
    platform.world.quoting = {};
    await runWhenDue(id);
    expect((await read(id)).words).toBe("initiated queued");
    expect(await madeOf(id)).toBe(1);
  });
});

describe("a scheduled payout is cancelled", () => {
  it("while it waits, so that it is never created; a repeat returns the same result", async () => {
    const id = await schedule();
    await cancel(id);
    await cancel(id);
    expect((await read(id)).words).toBe("failed cancelled");
    expect(await listed(PayoutSubStatus.CANCELLED)).toEqual([id]);
    expect(await listed(PayoutSubStatus.SCHEDULED)).not.toContain(id);
    await runWhenDue(id);
    expect(await madeOf(id)).toBe(0);
  });

  it("with its quote, which nothing can execute any more", async () => {
    const id = await schedule();
    const leased = await lease(id);
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await executeOrder(platform.parts, leased);
    platform.faults.claim = () => undefined;
    await cancel(id);
    await runWhenDue(id);
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    expect(await madeOf(id)).toBe(0);
    expect(await balance()).toEqual({ available: "100.00", held: "0.00" });
  });

  it("with its payout until that is submitted, and not after", async () => {
    const [queued, submitted] = [await schedule(), await schedule()];
    await runWhenDue(queued);
    await cancel(queued);
    expect((await read(queued)).words).toBe("failed cancelled CANCELLED");
    expect(await balance()).toEqual({ available: "100.00", held: "0.00" });
    await runWhenDue(submitted);
    await platform.work();
    expect(await codeOf(cancel(submitted))).toBe("NOT_CANCELLABLE");
    expect(await codeOf(cancel("spo_x"))).toBe("RECORD_NOT_FOUND");
  });
});

describe("a worker that resumes after its lease", () => {
  it("creates no second payout without a bound quote", async () => {
    const id = await schedule();
    const late = await lease(id);
    await runWhenDue(id);
    await executeOrder(platform.parts, late);
    expect(await madeOf(id)).toBe(1);
    expect(await balance()).toEqual({ available: "90.00", held: "10.00" });
  });

  it("binds no quote in the place of a later one", async () => {
    const id = await schedule();
    const late = await lease(id);
    platform.world.quoting = { expiresAt: new Date(Date.now() - 1) };
    await runWhenDue(id);
    platform.world.quoting = {};
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await runWhenDue(id);
    const bound = await platform.orders.findOne({ _id: id });
    expect(bound).toMatchObject({ attempt: 2, quote: { id: expect.any(String) } });
    platform.faults.claim = () => undefined;
    await executeOrder(platform.parts, late);
    expect((await platform.orders.findOne({ _id: id }))?.quote).toEqual(bound?.quote);
    expect(await madeOf(id)).toBe(0);
    await runWhenDue(id);
    expect(await madeOf(id)).toBe(1);
  });

  it("creates no payout of an order that failed without a quote", async () => {
    const id = await schedule();
    const late = await lease(id);
    platform.world.quoting = { refusal: "CORRIDOR_NOT_ACTIVE" };
    await runWhenDue(id);
    platform.world.quoting = {};
    await executeOrder(platform.parts, late);
    expect(await madeOf(id)).toBe(0);
  });

  it("creates no payout of an order that failed with one, even if there is money now", async () => {
    const id = await schedule({ sourceAmount: "100.01" });
    await lease(id);
    platform.faults.claim = () => undefined;
    const late = await lease(id);
    const quoted = deferred(platform.parts, "getClaimableQuote");
    const slow = executeOrder(quoted.deps, late);
    await quoted.reached;
    await runWhenDue(id);
    expect((await read(id)).words).toBe("failed rejected INSUFFICIENT_BALANCE");
    const more = { mutation: platform.operation(), merchantId, accountId, amount: "100.00" };
    await platform.rpc.creditAccount(more);
    quoted.goOn();
    await slow;
    expect(await madeOf(id)).toBe(0);
    expect((await balance()).held).toBe("0.00");
  });
});

/** Delays the response of a quote service call until the test releases it. */
function deferred<D extends typeof platform.parts>(its: D, method: "getClaimableQuote") {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const call: typeof its.quote.getClaimableQuote = async (...args) => {
    const answer = await its.quote[method](...args);
    reached.resolve();
    await going.promise;
    return answer;
  };
  const held = { ...its, quote: { ...its.quote, [method]: call } };
  return { deps: held, reached: reached.promise, goOn: () => going.resolve() };
}

/** The parts of a process that dies at a step. */
async function dyingProcess(step: number) {
  const process = dyingAt(step);
  const database = process.database(platform.database);
  const velocity = await openVelocityLimits(platform.database);
  const parts = {
    ...platform.parts,
    ledger: openLedger(database),
    payouts: openPayouts(database),
    reservations: createVelocityReservations(velocity, platform.controls, openUsage(database)),
    orders: openScheduledPayouts(database),
    quote: process.calls(platform.parts.quote),
  };
  return { hasDied: process.hasDied, run: () => executeDueOrders(parts) };
}

it("a process that dies at any step leaves exactly one payout", async () => {
  let died = 0;
  for (let step = 0; ; step += 1) {
    accountId = await platform.fundedAccount(merchantId, "100.00");
    const id = await schedule();
    await makeDue(id);
    const dying = await dyingProcess(step);
    await dying.run().catch(() => undefined);
    if (!dying.hasDied()) break;
    died += 1;
    // Another process finds it after the lease, and sweeps the hold that the first one left.
    await runWhenDue(id);
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    platform.world.offsetMs = 0;
    await runWhenDue(id);
    expect((await read(id)).words, `step ${step}`).toBe("initiated queued");
    expect(await madeOf(id), `step ${step}`).toBe(1);
    expect(await balance(), `step ${step}`).toEqual({ available: "90.00", held: "10.00" });
  }
  expect(died).toBeGreaterThan(12);
});
