import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { SchedulePayoutRequestSchema } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import {
  LedgerStep,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { openLedger } from "@disburse/ledger/accounts.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweepAccounts } from "../execution/holds.ts";
import { isCreated } from "../payouts/document.ts";
import { openPayouts } from "../payouts/store.ts";
import { dyingAt } from "../test-dying.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openScheduledPayouts } from "./document.ts";
import { executeDueOrders, executeOrder, orderLeaseMs } from "./execute-order.ts";
import { openReservations, sweepReserved } from "./reservation.ts";
import { scheduledRpc } from "./rpc.ts";
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
  Object.assign(platform.world, { quoting: {}, offsetMs: 0 });
  Object.assign(platform.faults, { claim: () => undefined, afterClaim: () => undefined });
  await platform.orders.deleteMany({});
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

/** Asks to pay 10.00 in a minute, and to reserve 60.00 now. */
function asked(change: object = {}) {
  return {
    ...{ mutation: platform.operation(), merchantId, accountId, beneficiaryId: "ben_1" },
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD", sourceAmount: "10.00" },
    ...{ referenceId: "rent", scheduledAt: new Date(Date.now() + 60_000).toISOString() },
    ...{ maxSourceAmount: "60.00", reserve: true, ...change },
  };
}

async function schedule(change: object = {}): Promise<string> {
  const { scheduledPayout } = await platform.ordersRpc.schedulePayout(asked(change));
  return scheduledPayout?.id ?? "";
}

const own = (id: string) => ({
  ...{ mutation: platform.operation(), merchantId, scheduledPayoutId: id },
});
const cancel = (id: string) => platform.ordersRpc.cancelScheduledPayout(own(id));

async function wordsOf(id: string): Promise<string> {
  const { scheduledPayout } = await platform.ordersRpc.getScheduledPayout(own(id));
  const { status = 0, subStatus = 0, failureCode = "" } = scheduledPayout ?? {};
  return `${enumName(PayoutStatus, status)} ${enumName(PayoutSubStatus, subStatus)} ${failureCode}`;
}

/** The available and the held balance. */
async function balance(): Promise<string> {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return `${account?.available} ${account?.held}`;
}

async function steps(): Promise<string[]> {
  const { entries } = await platform.rpc.listEntries({ merchantId, accountId, limit: 100 });
  return entries.map(({ step, amount }) => `${enumName(LedgerStep, step)} ${amount}`).reverse();
}

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
const madeOf = (id: string) =>
  platform.payouts.countDocuments({ "order.operation_id": { $regex: `^${id}[.]` }, ...isCreated });
const document = (id: string) => platform.orders.findOne({ _id: id });

/** Sweeps as if a while had passed. */
async function sweepLater() {
  platform.world.offsetMs = 61_000;
  await platform.sweep();
  await run();
  await platform.sweep();
  platform.world.offsetMs = 0;
}

describe("a scheduled payout with a reservation", () => {
  it("holds its maximum from the start, and its payout takes the money from there", async () => {
    const id = await schedule();
    expect([await balance(), await wordsOf(id)]).toEqual([
      ...["40.00 60.00", "initiated scheduled "],
    ]);
    expect(await codeOf(platform.execute(accountId, "order-1"))).toBe("OK");
    platform.world.quoting = { cost: "40.00" };
    await runWhenDue(id);
    expect([await balance(), await wordsOf(id), await madeOf(id)]).toEqual([
      ...["50.00 50.00", "initiated queued ", 1],
    ]);
    expect(await steps()).toEqual([
      ...["credit 100.00", "reserve 60.00", "hold 10.00", "unreserve 60.00", "hold 40.00"],
    ]);
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId, limit: 100 });
    const [, unreserve] = entries;
    expect(unreserve).toMatchObject({ payoutId: "", scheduledPayoutId: id });
    expect(await document(id)).not.toHaveProperty("reserved");
  });

  it("is paid although everything else is spent", async () => {
    const id = await schedule({ sourceAmount: "60.00" });
    for (let at = 0; at < 4; at += 1) await platform.execute(accountId, `order-${at}`);
    expect(await codeOf(platform.execute(accountId, "order-5"))).toBe("INSUFFICIENT_BALANCE");
    platform.world.quoting = { cost: "60.00" };
    await runWhenDue(id);
    expect([await balance(), await madeOf(id)]).toEqual(["0.00 100.00", 1]);
  });

  it("is refused if there is too little money, and nothing is stored", async () => {
    const request = asked({ maxSourceAmount: "100.01" });
    const refused = () => codeOf(platform.ordersRpc.schedulePayout(request));
    expect(await refused()).toBe("INSUFFICIENT_BALANCE");
    expect([await platform.orders.countDocuments(), await balance()]).toEqual([0, "100.00 0.00"]);
    const credit = { mutation: platform.operation(), merchantId, accountId, amount: "1.00" };
    await platform.rpc.creditAccount(credit);
    expect([await refused(), await balance()]).toEqual(["OK", "0.99 100.01"]);
  });

  it("needs a maximum", async () => {
    const refusal = await schedule({ maxSourceAmount: "" }).catch(readRefusal);
    expect(refusal).toMatchObject({
      ...{ code: "INVALID_REQUEST", message: "max_source_amount: is required" },
    });
  });

  it("is ordered once by its operation, also by requests at the same time", async () => {
    const request = asked();
    const made = await Promise.all(
      Array.from({ length: 5 }, () => platform.ordersRpc.schedulePayout(request)),
    );
    expect(new Set(made.map(({ scheduledPayout }) => scheduledPayout?.id)).size).toBe(1);
    expect(made[0]?.scheduledPayout?.reserve).toBe(true);
    expect(await balance()).toBe("40.00 60.00");
  });

  it("keeps its money until its account is swept, and after", async () => {
    const id = await schedule();
    await sweepLater();
    expect([await balance(), await wordsOf(id)]).toEqual(["40.00 60.00", "initiated scheduled "]);
    const stored = await platform.ledger.accounts.findOne({ _id: accountId });
    expect([stored?.open_holds, stored?.dirty]).toEqual([[], undefined]);
  });

  it("keeps its account from being closed", async () => {
    const id = await schedule({ maxSourceAmount: "100.00" });
    const close = () => {
      const request = { mutation: platform.operation(), merchantId, accountId };
      return platform.rpc.closeAccount(request).catch(readRefusal);
    };
    expect(await close()).toMatchObject({
      message: "The account has 100.00 USD reserved. It must have none.",
    });
    await cancel(id);
    expect(await close()).toMatchObject({
      message: "The account has 100.00 USD available. It must have none.",
    });
  });
});

describe("a reservation is given back", () => {
  it("by a cancellation", async () => {
    const id = await schedule();
    await cancel(id);
    await cancel(id);
    expect([await balance(), await wordsOf(id)]).toEqual(["100.00 0.00", "failed cancelled "]);
    await runWhenDue(id);
    expect([await madeOf(id), (await steps()).length]).toEqual([0, 3]);
  });

  it.each([
    ["COST_ABOVE_MAXIMUM", { cost: "60.01" }],
    ["CORRIDOR_NOT_ACTIVE", { refusal: "CORRIDOR_NOT_ACTIVE" }],
  ] as const)("if it fails with %s", async (failure, quoting) => {
    const id = await schedule();
    platform.world.quoting = quoting;
    await runWhenDue(id);
    expect([await balance(), await wordsOf(id)]).toEqual([
      ...["100.00 0.00", `failed rejected ${failure}`],
    ]);
    expect(await madeOf(id)).toBe(0);
  });

  it("with its payout, if that is cancelled", async () => {
    const id = await schedule();
    await runWhenDue(id);
    expect(await balance()).toBe("90.00 10.00");
    await cancel(id);
    expect([await balance(), await wordsOf(id)]).toEqual([
      ...["100.00 0.00", "failed cancelled CANCELLED"],
    ]);
  });

  it("if the key was revoked, and the order is cancelled, rejected or expires", async () => {
    const by = (key: string) => ({
      mutation: {
        operationId: platform.operation().operationId,
        actor: { kind: Actor_Kind.API_KEY, id: key },
      },
    });
    const stop = (orders: RevokedOrders) =>
      platform.ordersRpc.stopOrders({
        ...{ ...by("admin"), merchantId, actorId: "key_1", orders },
        createdBefore: timestampFromDate(new Date(Date.now() + 60_000)),
      });
    const order = () => schedule({ ...by("key_1"), maxSourceAmount: "20.00" });
    const [rejected, expired] = [await order(), await order()];
    await stop(RevokedOrders.HOLD);
    expect([await balance(), await wordsOf(expired)]).toEqual([
      ...["60.00 40.00", "initiated awaiting_approval "],
    ]);
    const reason = "a leak";
    await platform.ordersRpc.rejectScheduledPayout({ ...own(rejected), ...by("key_2"), reason });
    expect(await balance()).toBe("80.00 20.00");
    const past = new Date(Date.now() - 1_000);
    await platform.orders.updateOne({ _id: expired }, { $set: { due_at: past } });
    await run();
    expect([await balance(), await wordsOf(expired)]).toEqual([
      ...["100.00 0.00", "failed rejected APPROVAL_EXPIRED"],
    ]);
    const cancelled = await order();
    await stop(RevokedOrders.CANCEL);
    await run();
    expect([await balance(), await wordsOf(cancelled)]).toEqual([
      ...["100.00 0.00", "failed cancelled "],
    ]);
  });

  it("if a process of the previous release paid the order from the balance", async () => {
    const id = await schedule();
    const leased = await lease(id);
    const { reserve: _, ...unknown } = leased.document;
    await executeOrder(platform.parts, { ...leased, document: unknown });
    expect([await balance(), await madeOf(id)]).toEqual(["30.00 70.00", 1]);
    await run();
    expect(await balance()).toBe("90.00 10.00");
  });
});

it("a quote that expires before its claim leaves the reservation to the next one", async () => {
  const id = await schedule();
  platform.world.quoting = { expiresAt: new Date(Date.now() - 1) };
  await executeOrder(platform.parts, await lease(id));
  expect(await document(id)).toMatchObject({ attempt: 2, reserved: true });
  expect(await balance()).toBe("40.00 60.00");
  platform.world.quoting = {};
  // The claim is refused too, although the execute saw an open quote.
  platform.faults.claim = () => {
    for (const quote of platform.quotes.values()) {
      if (quote.accountId === accountId) quote.expiresAt = new Date(Date.now() - 1);
    }
  };
  await executeOrder(platform.parts, await lease(id));
  platform.faults.claim = () => undefined;
  expect([await balance(), await madeOf(id)]).toEqual(["40.00 60.00", 0]);
  await runWhenDue(id);
  expect([await balance(), await madeOf(id)]).toEqual(["90.00 10.00", 1]);
});

/** The parts of a process that dies at a step. */
function dyingProcess(step: number) {
  const process = dyingAt(step);
  const database = process.database(platform.database);
  const [ledger, orders] = [openLedger(database), openScheduledPayouts(database)];
  const parts = {
    ...platform.parts,
    ...{ ledger, orders, payouts: openPayouts(database) },
    quote: process.calls(platform.parts.quote),
    openReservations: openReservations({ ledger, orders }),
  };
  return { hasDied: process.hasDied, parts };
}

const principal = { kind: "service", name: "gateway" } as const;
const asGateway = <T>(work: () => Promise<T>) =>
  withCallContext({ requestId: "r", principal }, work);

/** Runs a process that dies at each of its steps in turn. `after` checks what it left. */
async function atEachStep(
  work: (parts: ReturnType<typeof dyingProcess>["parts"]) => Promise<unknown>,
  before: () => Promise<void>,
  after: (step: number) => Promise<void>,
): Promise<number> {
  for (let step = 0; ; step += 1) {
    accountId = await platform.fundedAccount(merchantId, "100.00");
    await before();
    const dying = dyingProcess(step);
    await asGateway(() => work(dying.parts)).catch(() => undefined);
    if (!dying.hasDied()) return step;
    await after(step);
  }
}

describe("a process that dies at any step", () => {
  it("of the request leaves one reservation if the request is repeated", async () => {
    let request = asked();
    const died = await atEachStep(
      async (parts) =>
        scheduledRpc(parts).schedulePayout(create(SchedulePayoutRequestSchema, request)),
      async () => {
        request = asked();
      },
      async (step) => {
        const { scheduledPayout } = await platform.ordersRpc.schedulePayout(request);
        const found = await platform.orders.countDocuments({ account_id: accountId });
        expect([step, await balance(), found]).toEqual([step, "40.00 60.00", 1]);
        await sweepLater();
        expect([step, await balance()]).toEqual([step, "40.00 60.00"]);
        await cancel(scheduledPayout?.id ?? "");
        expect([step, await balance()]).toEqual([step, "100.00 0.00"]);
      },
    );
    expect(died).toBeGreaterThan(4);
  });

  it("of the request leaves nothing reserved if nobody repeats it", async () => {
    let request = asked();
    const died = await atEachStep(
      async (parts) =>
        scheduledRpc(parts).schedulePayout(create(SchedulePayoutRequestSchema, request)),
      async () => {
        request = asked();
      },
      async (step) => {
        await sweepLater();
        const found = await platform.orders.findOne({ account_id: accountId });
        const left = found === null ? "100.00 0.00" : "40.00 60.00";
        // The order exists if its confirmation was stored. It is not half there.
        expect([step, await balance(), found?.state ?? "waiting"]).toEqual([step, left, "waiting"]);
      },
    );
    expect(died).toBeGreaterThan(4);
  });

  it("of the payment leaves exactly one payout, and the rest of the money", async () => {
    let id = "";
    const died = await atEachStep(
      executeDueOrders,
      async () => {
        id = await schedule();
        await makeDue(id);
      },
      async (step) => {
        // Nobody can take the reserved money meanwhile.
        const rest = platform.quote(accountId, { amount: "90.01" });
        const greedy = { mutation: platform.operation(), merchantId, quoteId: rest };
        expect(await codeOf(platform.rpc.executePayout(greedy))).toBe("INSUFFICIENT_BALANCE");
        await runWhenDue(id);
        await sweepLater();
        await run();
        expect([step, await madeOf(id), await balance()]).toEqual([step, 1, "90.00 10.00"]);
        expect(await document(id)).not.toHaveProperty("reserved");
      },
    );
    expect(died).toBeGreaterThan(10);
  });

  it("of a cancellation gives everything back once", async () => {
    let id = "";
    const died = await atEachStep(
      (parts) => Promise.resolve(scheduledRpc(parts).cancelScheduledPayout(own(id) as never)),
      async () => {
        id = await schedule();
      },
      async (step) => {
        await cancel(id);
        await sweepReserved(platform.parts, new Date());
        expect([step, await balance(), (await steps()).length]).toEqual([step, "100.00 0.00", 3]);
      },
    );
    expect(died).toBeGreaterThan(3);
  });

  it("of the sweep gives everything back once", async () => {
    const died = await atEachStep(
      async (parts) => {
        platform.world.offsetMs = 61_000;
        await sweepAccounts(parts);
        await sweepReserved(parts, platform.clock.now());
      },
      async () => {
        platform.world.offsetMs = 0;
        const dying = dyingProcess(3);
        const request = asked();
        const work = asGateway(async () =>
          scheduledRpc(dying.parts).schedulePayout(create(SchedulePayoutRequestSchema, request)),
        );
        await work.catch(() => undefined);
      },
      async (step) => {
        await sweepLater();
        const found = await platform.orders.countDocuments({ account_id: accountId });
        expect([step, found, await balance()]).toEqual([step, 0, "100.00 0.00"]);
      },
    );
    expect(died).toBeGreaterThan(1);
  });
});

it("executes at the same time never take a reservation", async () => {
  const id = await schedule({ sourceAmount: "60.00", maxSourceAmount: "60.00" });
  await makeDue(id);
  platform.world.quoting = { cost: "60.00" };
  const greedy = Array.from({ length: 20 }, (_, at) =>
    codeOf(platform.execute(accountId, `greedy-${at}`)),
  );
  const [codes] = await Promise.all([Promise.all(greedy), run(), run()]);
  expect(codes.filter((code) => code === "OK")).toHaveLength(4);
  expect([await balance(), await madeOf(id)]).toEqual(["0.00 100.00", 1]);
});
