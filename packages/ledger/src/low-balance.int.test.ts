import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openLedger, readAccount } from "./accounts.ts";
import { type AccountSettings, changeSettings } from "./settings.ts";
import { startTestLedger, type TestLedger } from "./test-ledger.ts";
import { tidyAccount, untidyAccounts } from "./tidy.ts";
import { quietMs } from "./writer.ts";

const merchantId = "mer_1";
let testLedger: TestLedger;
let accountId = "";
let operations = 0;
beforeAll(async () => {
  testLedger = await startTestLedger();
});
afterAll(() => testLedger.stop());
beforeEach(async () => {
  accountId = await testLedger.fundedAccount(merchantId, "100.00");
  operations += 1;
});

const actor = { kind: "api_key", id: "key_1" } as const;
const own = () => ({ merchantId, accountId });
const set = (settings: AccountSettings, operationId: string = crypto.randomUUID()) =>
  changeSettings(testLedger.ledger, own(), settings, { operationId, actor });
const threshold = (minor: bigint | "none", operationId?: string) =>
  set({ lowBalanceThreshold: minor }, operationId);

const payout = (name: string) => `po_${operations}_${name}`;
const hold = (name: string, amount: bigint) =>
  testLedger.ledger.apply(own(), { step: "hold", amount, payoutId: payout(name), note: "" });
const release = (name: string) =>
  testLedger.ledger.apply(own(), { step: "release", payoutId: payout(name), note: "" });

const stored = async () => {
  const found = await testLedger.ledger.accounts.findOne({ _id: accountId });
  if (found === null) throw new Error("there is no account");
  return found;
};

type Message = Awaited<ReturnType<typeof sweep>>[number];

/** Sweeps the account, and returns the published falls. */
async function sweep(fails = false) {
  const messages: ReturnType<typeof read>[] = [];
  const read = (body: Uint8Array) => fromBinary(OptInEventSchema, body);
  const bus: Bus = {
    publish: async (sent) => {
      if (fails) throw new Error("the broker is away");
      messages.push(...sent.map(({ body }) => read(body)));
    },
    subscribe: async () => undefined,
    ready: () => true,
    stop: async () => undefined,
  };
  const now = new Date(Date.now() + quietMs + 1_000);
  for await (const found of untidyAccounts(testLedger.ledger, now)) {
    for (const account of found.filter(({ _id }) => _id === accountId)) {
      await tidyAccount(testLedger.ledger, account, { isCreated: () => true, now, bus });
    }
  }
  return messages.filter(({ transactionType }) => transactionType === "account.balance_low");
}

const availableOf = ({ dataJson }: Message) => JSON.parse(dataJson).available as number;

describe("settings of an account", () => {
  it("change once per operation, each alone", async () => {
    const named = await set({ name: "Payroll" }, "op-name");
    expect(named).toMatchObject({ name: "Payroll", lowBalanceThreshold: undefined });
    await set({ name: "Other" });
    expect(await set({ name: "Payroll" }, "op-name")).toMatchObject({ name: "Other" });
    expect(await threshold(5_000n)).toMatchObject({ name: "Other", lowBalanceThreshold: 5_000n });
    expect(await set({ name: "" })).toMatchObject({ name: "", lowBalanceThreshold: 5_000n });
    expect(await threshold("none")).toMatchObject({ lowBalanceThreshold: undefined });
    const { is_low, updates } = await stored();
    expect([is_low, updates?.length, updates?.[0]?.actor]).toEqual([undefined, 5, actor]);
  });

  it("keep the last 20 operations", async () => {
    for (let at = 0; at < 25; at += 1) await set({ name: `${at}` });
    expect((await stored()).updates).toHaveLength(20);
  });

  it("of another merchant or an unknown account are not found", async () => {
    const by = { operationId: "op-foreign", actor };
    const foreign = { merchantId: "mer_2", accountId };
    const { ledger } = testLedger;
    expect(await changeSettings(ledger, foreign, { name: "x" }, by)).toBeUndefined();
    const unknown = { merchantId, accountId: "acc_x" };
    expect(await changeSettings(ledger, unknown, { name: "x" }, by)).toBeUndefined();
    expect(await readAccount(ledger, merchantId, accountId)).toMatchObject({ name: "" });
  });

  it("change while money moves, and no movement is lost", async () => {
    const moves = Array.from({ length: 20 }, (_, at) => hold(`busy_${at}`, 100n));
    const changes = Array.from({ length: 5 }, (_, at) => set({ name: `name ${at}` }));
    const done = await Promise.all([...moves, ...changes]);
    expect(done.every((each) => each !== undefined)).toBe(true);
    expect(await readAccount(testLedger.ledger, merchantId, accountId)).toMatchObject({
      ...{ available: 8_000n, held: 2_000n, sequence: 21 },
    });
    expect((await stored()).updates).toHaveLength(5);
  });
});

describe("a fall below the threshold", () => {
  it("is published once, and again only after the balance was at the threshold", async () => {
    await threshold(5_000n);
    await hold("a", 5_000n);
    expect(await sweep()).toEqual([]);
    await hold("b", 1n);
    await hold("c", 1n);
    const [fall, ...others] = await sweep();
    expect(others).toEqual([]);
    const { created_at } = (await testLedger.ledger.entries.findOne({
      _id: `${payout("b")}:hold`,
    }))!;
    expect(fall).toMatchObject({
      eventId: `evt_${accountId.slice(4)}_low3`,
      ...{ merchantId, transactionId: accountId, status: "low", sequence: 3n },
    });
    expect(fall?.dataJson).toBe(
      `{"id":"${accountId}","status":"low","merchant_id":"${merchantId}","name":"",` +
        '"currency_code":"USD","available":49.99,"low_balance_threshold":50.00,' +
        `"fell_at":"${created_at.toISOString()}"}`,
    );
    await release("b");
    await release("c");
    await hold("d", 1n);
    expect((await sweep()).map(availableOf)).toEqual([49.99]);
    expect(await sweep()).toEqual([]);
    expect((await stored()).dirty).toBeUndefined();
  });

  it("is found for each movement of one write", async () => {
    await threshold(5_000n);
    await Promise.all([hold("a", 6_000n), release("a"), hold("b", 7_000n), hold("c", 1n)]);
    expect((await sweep()).map(availableOf)).toEqual([40, 30]);
  });

  it("stays in the account while the broker is away", async () => {
    await threshold(5_000n);
    await hold("a", 6_000n);
    await expect(sweep(true)).rejects.toThrow("the broker is away");
    expect(await stored()).toMatchObject({ dirty: true, low_events: [expect.anything()] });
    expect(await sweep()).toHaveLength(1);
    expect(await sweep()).toEqual([]);
  });

  it("replaces the oldest of a hundred that wait for the broker", async () => {
    await threshold(5_000n);
    await hold("a", 6_000n);
    const { low_events: [fall] = [] } = await stored();
    if (fall === undefined) throw new Error("there is no fall");
    const waiting = Array.from({ length: 100 }, (_each, at) => ({ ...fall, id: `evt_${at}` }));
    await testLedger.ledger.accounts.updateOne(
      { _id: accountId },
      { $set: { low_events: waiting }, $inc: { revision: 1 } },
    );
    await release("a");
    await hold("b", 7_000n);
    const ids = ((await stored()).low_events ?? []).map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([
      100,
      "evt_1",
      expect.stringMatching(/_low4$/),
    ]);
    await threshold("none");
    await release("b");
    await hold("c", 7_000n);
    await threshold(5_000n);
    expect((await stored()).low_events).toHaveLength(100);
    expect((await sweep()).map(availableOf).at(-1)).toBe(30);
  });

  it("comes from a new threshold too, unless the balance was low before", async () => {
    await threshold(10_000n);
    expect(await sweep()).toEqual([]);
    await threshold(10_001n, "op-raise");
    await threshold(10_001n, "op-raise");
    await threshold(20_000n);
    const falls = await sweep();
    expect(falls.map(availableOf)).toEqual([100]);
    expect(falls[0]).toMatchObject({ sequence: 1n });
    await threshold("none");
    await threshold(20_000n);
    expect(await sweep()).toHaveLength(1);
  });

  it("that a process of an earlier release wrote is found by the next write", async () => {
    await threshold(5_000n);
    const { is_low, ...rest } = await stored();
    expect(is_low).toBe(false);
    await hold("a", 6_000n);
    // The earlier release moves the money, and keeps the fields that it doesn't know.
    await testLedger.ledger.accounts.updateOne(
      { _id: accountId },
      { $set: { is_low: false }, $unset: { low_events: "" }, $inc: { revision: 1 } },
    );
    expect(rest.low_balance_threshold).toBeDefined();
    await hold("b", 1n);
    expect((await sweep()).map(availableOf)).toEqual([39.99]);
  });

  it("is decided by every process that moves the account", async () => {
    await threshold(5_000n);
    const other = openLedger(testLedger.database);
    await hold("a", 4_000n);
    const moved = await other.apply(own(), {
      ...{ step: "hold", amount: 2_000n, payoutId: payout("b"), note: "" },
    });
    expect(moved.outcome).toBe("applied");
    await hold("c", 1n);
    expect((await sweep()).map(availableOf)).toEqual([40]);
  });
});

it("an account without a threshold has none of its fields", async () => {
  await hold("a", 9_999n);
  const document = await stored();
  expect(Object.keys(document)).not.toContain("is_low");
  expect(Object.keys(document)).not.toContain("low_events");
});
