import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Ledger } from "@disburse/ledger/accounts.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leasesOf, startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { resolvers } from "../test-resolutions.ts";
import { holdFunds } from "../treasury/accounts.ts";
import { workOnDuePayout } from "./worker.ts";

/** Payouts of 10.00 USD that are paid from a platform account at their rail. */

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
let rails = 0;
let rail = "";
let railReply: RailReply;
let submitted: string[];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  await platform.payouts.deleteMany({});
  platform.world.offsetMs = 0;
  accountId = await platform.fundedAccount(merchantId, "100.00");
  rail = `bank-${++rails}`;
  railReply = { status: { kind: "accepted" } };
  submitted = [];
  const accept = async (key: string): Promise<RailReply> => {
    if (!submitted.includes(key)) submitted.push(key);
    return { status: { kind: "accepted" } };
  };
  platform.rails.current = testRail({
    ...{ name: rail, isFunded: true, submit: accept },
    query: async (key) => {
      return submitted.includes(key) ? railReply : { status: { kind: "not_received" } };
    },
    capabilities: { currencies: ["USD"], transferMethods: ["ACH"], networks: [], limits: {} },
  });
});

const by = (person: string) => ({
  operationId: platform.operation().operationId,
  actor: { kind: Actor_Kind.OPERATOR, id: person },
});

const fund = (amount: string) =>
  platform.operatorRpc.fundRailAccount({
    ...{ mutation: by("ada"), rail, currencyCode: "USD", amount, note: "wire 1" },
  });

/** Executes a payout of 10.00. Its corridor charges return fees to the merchant or the platform. */
async function execute(returnCharges: ReturnCharges = ReturnCharges.PLATFORM): Promise<string> {
  const quoteId = platform.quote(accountId, { returnCharges });
  const request = { mutation: platform.operation(), merchantId, quoteId, referenceId: "order" };
  return (await platform.rpc.executePayout(request)).payoutId;
}

/** Returns the lines of the rail account, oldest first. */
async function lines(): Promise<string[]> {
  const request = { rail, currencyCode: "USD", limit: 100 };
  const { entries } = await platform.operatorRpc.listRailEntries(request);
  return entries.reverse().map(({ id, amount }) => `${id.split(":").at(-1)} ${amount}`);
}

const stepsOf = async () =>
  (await lines()).map((each) => each.replace(/^po_\S+ /, "charge ").replace(/^test-\S+ /, "fund "));

async function railAccount() {
  const { accounts } = await platform.operatorRpc.listRailAccounts({ rail });
  return accounts.find(({ currencyCode }) => currencyCode === "USD");
}

async function stateOf(payoutId: string) {
  const stored = await platform.payouts.findOne({ _id: payoutId });
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return { stage: stored?.progress.stage, balance: `${account?.available} + ${account?.held}` };
}

describe("a payout that is paid from a rail account", () => {
  const cancel = (payoutId: string) =>
    platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId, payoutId });
  const cancelled = { stage: "cancelled", balance: "100.00 + 0.00" };

  it("is cancelled while it awaits funds, and is not sent when they arrive", async () => {
    await fund("5.00");
    const id = await execute();
    await platform.work();
    expect((await stateOf(id)).stage).toBe("awaiting_funds");
    await cancel(id);
    expect(await stateOf(id)).toEqual(cancelled);
    await fund("25.00");
    await platform.after(60_000);
    expect([await stateOf(id), submitted]).toEqual([cancelled, []]);
    expect(await railAccount()).toMatchObject({ available: "30.00", held: "0.00" });
  });

  it("that its rail withdraws leaves the rail account's money available", async () => {
    await fund("25.00");
    const id = await execute();
    const current = platform.rails.current ?? testRail({});
    platform.rails.current = { ...current, withdraw: async () => true };
    await platform.work();
    expect(await railAccount()).toMatchObject({ available: "15.00", held: "10.00" });
    railReply = { status: { kind: "rejected" } };
    await cancel(id);
    expect(await stateOf(id)).toEqual(cancelled);
    expect(await railAccount()).toMatchObject({ available: "25.00", held: "0.00" });
  });

  it("is sent after its hold; its settlement posts it, with the bank's charges", async () => {
    await fund("25.00");
    const id = await execute();
    await platform.work();
    expect(submitted).toEqual([id]);
    expect(await railAccount()).toMatchObject({ available: "15.00", held: "10.00" });
    railReply = {
      status: { kind: "settled", reference: "R" },
      charges: [{ amount: "0.35", currency: "USD" }],
    };
    await platform.after(60_000);
    expect(await stateOf(id)).toEqual({ stage: "settled", balance: "90.00 + 0.00" });
    expect(await railAccount()).toMatchObject({ available: "14.65", held: "0.00" });
    expect((await lines()).slice(1)).toEqual([
      ...["rail_hold 10.00", `${id} 0.35`, "rail_post 10.00"],
    ]);
    const { balances } = await platform.rpc.listPlatformBalances({ currencyCode: "USD" });
    const shown = Object.fromEntries(balances.map(({ account, balance }) => [account, balance]));
    expect(shown["platform:charges"]).toBe("-0.35");
  });

  it("books charges that its rail names after the settlement, once", async () => {
    await fund("25.00");
    const id = await execute();
    await platform.work();
    railReply = { status: { kind: "settled", reference: "R" }, pollAfterMs: 1_000 };
    await platform.after(60_000);
    expect(await stateOf(id)).toMatchObject({ stage: "settled" });
    railReply = { ...railReply, charges: [{ amount: "2.00", currency: "USD" }] };
    for (const ms of [60_000, 600_000, 6_000_000]) await platform.after(ms);
    expect((await lines()).filter((line) => line.startsWith("po_"))).toEqual([`${id} 2.00`]);
    expect(await railAccount()).toMatchObject({ available: "13.00", held: "0.00" });
  });

  it.each<[string, RailReply["status"][]]>([
    [
      "return",
      [
        { kind: "settled", reference: "R" },
        { kind: "returned", reference: "R" },
      ],
    ],
    ["rejection", [{ kind: "rejected" }]],
  ])("books charges that its rail names after the %s, once", async (_end, replies) => {
    await fund("25.00");
    const id = await execute();
    await platform.work();
    const next = async () => {
      await platform.callForWork([id]);
      await platform.after(60_000);
    };
    for (const status of replies) {
      railReply = { status };
      await next();
    }
    expect(await railAccount()).toMatchObject({ available: "25.00", held: "0.00" });
    const contradiction = "taken back";
    railReply = { ...railReply, charges: [{ amount: "5.00", currency: "USD" }], contradiction };
    for (let polls = 0; polls < 2; polls += 1) await next();
    expect((await lines()).filter((line) => line.startsWith("po_"))).toEqual([`${id} 5.00`]);
    expect(await railAccount()).toMatchObject({ available: "20.00", held: "0.00" });
  });

  it("is given an exception where the charges are no amount of a currency", async () => {
    await fund("25.00");
    const id = await execute();
    await platform.work();
    railReply = {
      status: { kind: "settled", reference: "R" },
      charges: [{ amount: "x", currency: "USD" }],
    };
    await platform.after(60_000);
    const stored = await platform.payouts.findOne({ _id: id });
    expect(stored).toMatchObject({
      ...{ progress: { stage: "processing" }, exception: { kind: "contradicted" } },
    });
  });

  it("stays with its stored rail, whatever the present routes", async () => {
    const id = await execute();
    await platform.work();
    const named = platform.rails.current;
    const other: string[] = [];
    platform.rails.current = testRail({
      name: "other",
      submit: async (key) => {
        other.push(key);
        return { status: { kind: "accepted" } };
      },
    });
    await platform.after(60_000);
    expect(await platform.payouts.findOne({ _id: id })).toMatchObject({
      ...{ rail, exception: { kind: "stuck" } },
    });
    platform.rails.current = named;
    await fund("10.00");
    await platform.after(60_000);
    expect([submitted, other]).toEqual([[id], []]);
  });

  it("is cancelled by its merchant while it waits, and never holds funds after that", async () => {
    const id = await execute();
    await platform.work();
    await platform.rpc.cancelPayout({
      ...{ mutation: platform.operation(), merchantId, payoutId: id },
    });
    expect(await stateOf(id)).toEqual({ stage: "cancelled", balance: "100.00 + 0.00" });
    await fund("10.00");
    await platform.after(60_000);
    expect(submitted).toEqual([]);
    expect(await railAccount()).toMatchObject({ available: "10.00", held: "0.00" });
  });

  it("is overdue by its rail's own time", async () => {
    const current = platform.rails.current;
    if (current === undefined) return expect.unreachable();
    platform.rails.current = { ...current, overdueAfterMs: 3_600_000 };
    await fund("10.00");
    const id = await execute();
    await platform.work();
    const exception = async () => (await platform.payouts.findOne({ _id: id }))?.exception?.kind;
    await platform.after(3_000_000);
    expect(await exception()).toBeUndefined();
    await platform.after(660_000);
    expect(await exception()).toBe("stuck");
  });

  it("gives its hold back where the rail rejects it", async () => {
    await fund("10.00");
    const id = await execute();
    await platform.work();
    railReply = { status: { kind: "rejected" } };
    await platform.after(60_000);
    expect(await stateOf(id)).toEqual({ stage: "rejected", balance: "100.00 + 0.00" });
    expect(await railAccount()).toMatchObject({ available: "10.00", held: "0.00" });
  });

  it.each<[string, ReturnCharges, string]>([
    ["platform", ReturnCharges.PLATFORM, "100.00 + 0.00"],
    ["merchant", ReturnCharges.MERCHANT, "98.50 + 0.00"],
  ])("comes back short of what a bank kept, which the %s bears", async (_who, bearer, balance) => {
    await fund("10.00");
    const id = await execute(bearer);
    await platform.work();
    railReply = { status: { kind: "settled", reference: "R" }, pollAfterMs: 1_000 };
    await platform.after(60_000);
    railReply = {
      ...{ status: { kind: "returned" }, short: { amount: "1.50", currency: "USD" } },
      ...{ transferred: { amount: "8.50", currency: "USD" }, pollAfterMs: 1_000 },
    };
    await platform.after(60_000);
    expect(await stateOf(id)).toEqual({ stage: "returned", balance });
    expect(await railAccount()).toMatchObject({ available: "8.50", held: "0.00" });
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId });
    const charged = entries[0]?.postings.filter(({ account }) => account === "platform:charges");
    expect(charged?.map(({ amount }) => amount)).toEqual(
      bearer === ReturnCharges.PLATFORM ? ["-1.5"] : [],
    );
  });

  it("of a rail without accounts of ours moves nothing but the merchant's money", async () => {
    platform.rails.current = platform.sandboxRail;
    const id = await execute();
    await platform.work();
    await platform.after(60_000);
    expect(await stateOf(id)).toMatchObject({ stage: "settled" });
    expect(await platform.ledger.accounts.countDocuments({ rail: "sandbox" })).toBe(0);
    const stored = await platform.payouts.findOne({ _id: id });
    expect(stored?.funded).toBeUndefined();
  });
});

describe("a payout that its rail account does not cover", () => {
  it("waits, is seen with what is missing, and is sent when funds arrive", async () => {
    await fund("4.00");
    const id = await execute();
    await platform.work();
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: id });
    expect(payout).toMatchObject({ status: 1, subStatus: 7 });
    expect(submitted).toEqual([]);
    expect(await railAccount()).toMatchObject({
      ...{ waitingCount: 1n, waiting: "10.00", missing: "6.00" },
    });
    const history = await platform.history(id);
    const lacks = `not sent: the rail account of ${rail} lacks 6.00 USD`;
    expect(history?.lines.map(({ detail }) => detail)).toContain(lacks);
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId: id });
    expect(events.map(({ subStatus, cause }) => [subStatus, cause])).toEqual([
      [1, 1],
      [7, 9],
    ]);
    platform.isWoken();
    await fund("6.00");
    expect(platform.isWoken()).toBe(true);
    await platform.work();
    expect(submitted).toEqual([id]);
    expect(await railAccount()).toMatchObject({ waitingCount: 0n, missing: "0.00", held: "10.00" });
  });

  it("never fails for it, and becomes an exception that two persons may reject", async () => {
    const id = await execute();
    await platform.work();
    for (let days = 0; days < 3; days += 1) await platform.after(86_400_000);
    expect(await stateOf(id)).toEqual({ stage: "awaiting_funds", balance: "90.00 + 10.00" });
    const stored = await platform.payouts.findOne({ _id: id });
    expect(stored?.exception?.kind).toBe("stuck");
    const reason = "the merchant withdrew it";
    await resolvers(platform).resolve(id, { reason });
    await platform.work();
    expect(await stateOf(id)).toEqual({ stage: "rejected", balance: "100.00 + 0.00" });
    // A worker that stalled before its hold continues after the payout has ended.
    await fund("100.00");
    const payout = (await platform.history(id))?.payout;
    if (payout === undefined) return expect.unreachable();
    expect(await holdFunds(platform.ledger, payout)).toEqual({ outcome: "ended" });
    expect(await railAccount()).toMatchObject({ available: "100.00", held: "0.00" });
  });

  it("and another one never pass on the same money, however many workers there are", async () => {
    await fund("30.00");
    const ids = await Promise.all(Array.from({ length: 8 }, () => execute()));
    await Promise.all(
      Array.from({ length: 8 }, () => {
        const leases = leasesOf(platform.payouts, platform.parts.clock);
        return workOnDuePayout({ ...platform.parts, leases });
      }),
    );
    await platform.work();
    expect(submitted.length).toBe(3);
    expect(new Set(submitted).size).toBe(3);
    expect(await railAccount()).toMatchObject({
      ...{ available: "0.00", held: "30.00", waitingCount: 5n, missing: "50.00" },
    });
    await fund("50.00");
    await platform.work();
    expect(submitted.toSorted()).toEqual(ids.toSorted());
  });
});

describe("a worker that dies between two steps", () => {
  const steps = ["rail_hold", "rail_charge", "rail_post", "post", "rail_return", "return"] as const;
  const rejecting = ["rail_hold", "rail_release", "release"] as const;

  /** Returns a worker that dies once, before or after its movement of this step. */
  function killable(step: string, dies: "before" | "after") {
    let isDead = false;
    const apply: Ledger["apply"] = async (target, movement) => {
      const isIt = movement.step === step && !isDead;
      if (isIt) isDead = true;
      if (isIt && dies === "before") throw new Error("killed");
      const applied = await platform.ledger.apply(target, movement);
      if (isIt) throw new Error("killed");
      return applied;
    };
    const ledger = { ...platform.ledger, apply };
    const leases = leasesOf(platform.payouts, platform.parts.clock);
    return { worker: { ...platform.parts, ledger, leases }, died: () => isDead };
  }

  const cases = [steps, rejecting].flatMap((of) =>
    of.flatMap((step) =>
      (["before", "after"] as const).map((dies) => ({
        ...{ dies, step, end: of === steps ? "returned" : "rejected" },
      })),
    ),
  );

  it.each(cases)("$dies $step, of a payout that is $end", async ({ dies, step, end }) => {
    await fund("20.00");
    const id = await execute();
    const { worker, died } = killable(step, dies);
    const work = async () => {
      while (await workOnDuePayout(worker));
      await platform.after(60_000);
    };
    railReply = { status: { kind: "accepted" } };
    await work();
    railReply =
      end === "rejected"
        ? { status: { kind: "rejected" } }
        : {
            ...{ status: { kind: "settled", reference: "R" }, pollAfterMs: 1_000 },
            charges: [{ amount: "0.50", currency: "USD" }],
          };
    platform.world.offsetMs += 60_000;
    await work();
    if (end === "returned") {
      railReply = {
        ...{ status: { kind: "returned" }, pollAfterMs: 1_000 },
        short: { amount: "1.00", currency: "USD" },
      };
      platform.world.offsetMs += 60_000;
      await work();
    }
    expect(died()).toBe(true);
    expect(submitted).toEqual([id]);
    expect(await stateOf(id)).toEqual({ stage: end, balance: "100.00 + 0.00" });
    const isPaid = end === "returned";
    expect((await stepsOf()).slice(1)).toEqual(
      isPaid
        ? ["rail_hold 10.00", "charge 0.50", "rail_post 10.00", "rail_return 9.00"]
        : ["rail_hold 10.00", "rail_release 10.00"],
    );
    expect(await railAccount()).toMatchObject({
      ...{ available: isPaid ? "18.50" : "20.00", held: "0.00" },
    });
  });
});
