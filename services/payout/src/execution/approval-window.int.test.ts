import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StandInQuote } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import type { UsageDocument } from "../velocity/documents.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.world.offsetMs = 0;
  platform.world.worth = {};
  platform.faults.claim = () => undefined;
  await usages().deleteMany({});
  await setRule({ windowSeconds: 3_600 });
  accountId = await platform.fundedAccount(merchantId, "9000.00");
});

const usages = () => platform.database.db.collection<UsageDocument>("velocity_usage");

const by = (id: string, kind: Actor_Kind = Actor_Kind.API_KEY, root = "") => ({
  mutation: { operationId: platform.operation().operationId, actor: { kind, id, root } },
  merchantId,
});

/** Requires approval from 500.00 USD on. */
async function setRule(rule: { windowSeconds?: number; currencyCode?: string }) {
  const amounts = [{ currencyCode: "USD", minimum: "500.00", ...rule }];
  const { mutation } = by("ada", Actor_Kind.OPERATOR);
  await platform.operatorRpc.setPayoutControls({ mutation, merchantId, approval: { amounts } });
}

/** The default: each payout has its own destination and actor. */
let others = 0;
type Made = Partial<StandInQuote> & { to?: string; key?: string; root?: string };

async function execute({ to, key, root, ...change }: Made = {}): Promise<string> {
  others += 1;
  const destinationKeys = [to ?? `account ${others}`];
  const quote = { amount: "499.99", destinationKeys, ...change };
  const quoteId = platform.quote(change.accountId ?? accountId, quote);
  const who = by(key ?? `key_${others}`, Actor_Kind.API_KEY, root);
  return (await platform.rpc.executePayout({ ...who, quoteId })).payoutId;
}

async function reasonsOf(payoutId: string) {
  const found = await platform.payouts.findOne({ _id: payoutId });
  return found?.approval?.reasons ?? [];
}

async function age(ms: number) {
  for (const { _id, reservations } of await usages().find().toArray()) {
    const older = reservations.map((each) => ({ ...each, at: new Date(each.at.getTime() - ms) }));
    await usages().updateOne({ _id }, { $set: { reservations: older } });
  }
}

describe("under an approval rule with a window", () => {
  it.each<[string, Made, Made]>([
    ["to one account", { to: "one" }, { to: "one" }],
    [
      "to one account before and after a rotation",
      { destinationKeys: ["old"] },
      { destinationKeys: ["new", "old"] },
    ],
    ["by one key", { key: "key_a" }, { key: "key_a" }],
    ["by keys of one root", { key: "key_a" }, { key: "key_b", root: "key_a" }],
  ])("payouts %s count together", async (_what, first, second) => {
    const [alone, below, reached] = [
      await execute(first),
      await execute(),
      await execute({ ...second, amount: "1.00" }),
    ];
    expect(await Promise.all([alone, below, reached].map(reasonsOf))).toEqual([[], [], ["amount"]]);
  });

  it.each<[string, Made]>([
    ["to one account", { to: "many" }],
    ["by one key", { key: "key_many" }],
  ])("of ten at once %s at most the first needs no approval", async (_what, made) => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => execute(made)));
    const reasons = await Promise.all(ids.map(reasonsOf));
    expect(reasons.filter((each) => each.length === 0)).toHaveLength(1);
  });

  it("a payout that is older than the window counts no more, nor without a window", async () => {
    await execute({ to: "later" });
    await age(3_599_000);
    expect(await reasonsOf(await execute({ to: "later", amount: "1.00" }))).toEqual(["amount"]);
    await age(3_600_000);
    expect(await reasonsOf(await execute({ to: "later" }))).toEqual([]);
    await setRule({ windowSeconds: 0 });
    expect(await reasonsOf(await execute({ to: "later" }))).toEqual([]);
  });

  it("a payout that failed, was rejected or had no money counts no more", async () => {
    const failed = await execute({ to: "again" });
    const rejected = await execute({ to: "again" });
    expect(await reasonsOf(rejected)).toEqual(["amount"]);
    await platform.rpc.rejectPayout({ ...by("boss"), payoutId: rejected, reason: "no" });
    await platform.rpc.cancelPayout({ ...by("boss"), payoutId: failed });
    const poor = await platform.fundedAccount(merchantId, "1.00");
    const refusal = execute({ to: "again", accountId: poor });
    await expect(refusal).rejects.toThrow("INSUFFICIENT_BALANCE");
    expect(await usages().countDocuments()).toBe(0);
    expect(await reasonsOf(await execute({ to: "again" }))).toEqual([]);
  });

  it("a repeat is judged as its first try was, however much was paid since", async () => {
    platform.faults.claim = () => {
      throw new Error("killed");
    };
    const quoteId = platform.quote(accountId, { amount: "499.99", destinationKeys: ["twice"] });
    const request = { ...by("key_twice"), quoteId };
    await expect(platform.rpc.executePayout(request)).rejects.toThrow();
    platform.faults.claim = () => undefined;
    expect(await reasonsOf(await execute({ to: "twice" }))).toEqual(["amount"]);
    const { payoutId } = await platform.rpc.executePayout(request);
    expect(await reasonsOf(payoutId)).toEqual([]);
  });

  it("another currency counts by its rate, and without one the payout needs approval", async () => {
    const euros = await platform.fundedAccount(merchantId, "9000.00", "EUR");
    const inEuros = { source: "EUR", accountId: euros };
    expect(await reasonsOf(await execute({ ...inEuros, amount: "1.00" }))).toEqual(["amount"]);
    platform.world.worth = { EUR: 2n };
    const below = await execute({ ...inEuros, to: "abroad", amount: "200.00" });
    expect(await reasonsOf(below)).toEqual([]);
    expect(await reasonsOf(await execute({ to: "abroad", amount: "99.99" }))).toEqual([]);
    expect(await reasonsOf(await execute({ to: "abroad", amount: "1.00" }))).toEqual(["amount"]);
    // The stale rate was in force at the first count. That value is no longer known.
    platform.world.worth = {};
    expect(await reasonsOf(await execute({ to: "abroad", amount: "1.00" }))).toEqual(["amount"]);
    expect(await reasonsOf(await execute({ to: "home", amount: "1.00" }))).toEqual([]);
  });
});

it("without a window nothing is counted", async () => {
  await setRule({ windowSeconds: 0 });
  await execute();
  expect(await usages().countDocuments()).toBe(0);
});
