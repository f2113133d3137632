import { setTimeout as pause } from "node:timers/promises";
import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDuplicateGuard } from "../controls/duplicates.ts";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
/** Whole seconds, so that a test can set the time of an earlier payout. */
const windowSeconds = 600;
let platform: TestPlatform;
let accountId = "";
let reference = 0;
let referenceId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  Object.assign(platform.world, { offsetMs: 0, quoteOffsetMs: 0 });
  platform.faults.claim = () => undefined;
  platform.faults.afterClaim = () => undefined;
  await locks().deleteMany({});
  await guard(windowSeconds);
  accountId = await platform.fundedAccount(merchantId, "1000.00");
  referenceId = `order-${++reference}`;
});

async function guard(duplicateWindowSeconds: number) {
  const { operationId } = platform.operation();
  const mutation = { operationId, actor: { kind: Actor_Kind.OPERATOR, id: "ada" } };
  await platform.operatorRpc.setPayoutControls({ mutation, merchantId, duplicateWindowSeconds });
}

type Sent = { referenceId?: string; allowDuplicate?: boolean };

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

function execute(quoteId = platform.quote(accountId), sent: Sent = {}) {
  const mutation = platform.operation();
  return platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId, ...sent });
}
/** Keys of a payout to the beneficiary's account, with this test's reference. */
const keysOf = (beneficiaryId = "ben_1") =>
  duplicateKeys([`account of ${beneficiaryId}`], referenceId);
const clockNow = () => ({
  now: new Date(),
  sentAt: performance.now(),
  receivedAt: performance.now(),
});
function pass(ms: number) {
  platform.world.offsetMs += ms;
  platform.world.quoteOffsetMs += ms;
}
const locks = () => platform.database.db.collection("execution_locks");

describe("with a guard against duplicates", () => {
  it("a payout that repeats another one is refused with its id, and holds nothing", async () => {
    const { payoutId } = await execute();
    const refusal = await execute().then(() => undefined, readRefusal);
    expect(refusal).toMatchObject({ code: "POSSIBLE_DUPLICATE", payoutId });
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect([account?.available, account?.held]).toEqual(["990.00", "10.00"]);
    expect(await locks().countDocuments()).toBe(0);
  });

  it("the same quote is paid with allow_duplicate, which is kept with its operation", async () => {
    await execute();
    const quoteId = platform.quote(accountId);
    expect(await codeOf(execute(quoteId))).toBe("POSSIBLE_DUPLICATE");
    expect(await codeOf(execute(quoteId, { allowDuplicate: true }))).toBe("OK");
    const order = { quote_id: quoteId, allow_duplicate: true };
    expect(await platform.payouts.findOne({ "order.quote_id": quoteId })).toMatchObject({ order });
  });

  it.each<[string, Parameters<TestPlatform["quote"]>[1], Sent]>([
    ["of another amount", { amount: "10.01" }, {}],
    ["of another reference", {}, { referenceId: "another" }],
    ["without a reference", {}, { referenceId: "" }],
  ])("a payout %s is paid", async (_what, change, sent) => {
    await execute(undefined, sent.referenceId === "" ? sent : {});
    expect(await codeOf(execute(platform.quote(accountId, change), sent))).toBe("OK");
  });

  it.each<[string, Parameters<TestPlatform["quote"]>[1], (reference: string) => string]>([
    ["another record of its account", { beneficiaryId: "ben_2" }, (reference) => reference],
    ["its record after a rotation", { destinationKeys: ["new", "one"] }, (reference) => reference],
    ["it, in another case", {}, (reference) => reference.toUpperCase()],
    ["it, with blanks", {}, (reference) => ` ${reference.replace("-", " - ")} `],
    ["it, with a zero-width space", {}, (reference) => reference.replace("r", "r\u200b")],
    ["it, with Cyrillic letters", {}, (reference) => reference.replace("o", "о").replace("e", "е")],
  ])("a payout to %s is refused", async (_what, change, written) => {
    const destinationKeys = ["one"];
    const { payoutId } = await execute(platform.quote(accountId, { destinationKeys }));
    const again = platform.quote(accountId, { destinationKeys, ...change });
    const refusal = await execute(again, { referenceId: written(referenceId) }).then(
      () => undefined,
      readRefusal,
    );
    expect(refusal).toMatchObject({ code: "POSSIBLE_DUPLICATE", payoutId });
  });

  it("of many records of one account at once one is paid", async () => {
    const quotes = ["ben_1", "ben_2", "ben_1", "ben_2"].map((beneficiaryId) =>
      platform.quote(accountId, { beneficiaryId, destinationKeys: ["one"] }),
    );
    const codes = await Promise.all(quotes.map((quoteId) => codeOf(execute(quoteId))));
    expect(codes.filter((code) => code === "OK")).toHaveLength(1);
  });

  it.each<[string, string[][], string[]]>([
    ["records before and after a rotation", [["old"], ["new", "old"]], ["R"]],
    ["spellings that have one form in common", [["one"]], ["НОМЕР", "номер"]],
  ])("of many %s at once one is paid", async (_what, destinations, spellings) => {
    const calls = Array.from({ length: 4 }, () =>
      destinations.flatMap((destinationKeys) =>
        spellings.map((spelling) => {
          const quoteId = platform.quote(accountId, { destinationKeys });
          return codeOf(execute(quoteId, { referenceId: `${spelling} ${referenceId}` }));
        }),
      ),
    );
    const codes = await Promise.all(calls.flat());
    expect(codes.filter((code) => code === "OK")).toHaveLength(1);
    expect(await locks().countDocuments()).toBe(0);
  });

  it("one that left or arrived with the same amount is found, another beneficiary's is not", async () => {
    const { payoutId } = await execute();
    const asked = {
      ...{ payoutId: "po_new", merchantId, accountId, duplicateKeys: keysOf() },
      ...{ source: "USD", sourceMinor: 999n, destination: "USD", receivingMinor: 1_000n },
      ...clockNow(),
    };
    const enter = async (change: object) => {
      const lock = await platform.parts.duplicates.enter({ ...asked, ...change });
      if (lock !== undefined && "end" in lock) await lock.end("refused");
      return lock !== undefined && "refused" in lock ? lock.payoutId : undefined;
    };
    expect(await enter({})).toBe(payoutId);
    expect(await enter({ sourceMinor: 1_000n, receivingMinor: 999n })).toBe(payoutId);
    expect(await enter({ receivingMinor: 999n })).toBeUndefined();
    expect(await enter({ source: "EUR", destination: "EUR", sourceMinor: 1_000n })).toBeUndefined();
    expect(await enter({ duplicateKeys: keysOf("ben_2") })).toBeUndefined();
    expect(await enter({ merchantId: "mer_2" })).toBeUndefined();
    expect(await enter({ payoutId })).toBeUndefined();
  });

  it("attempts of one payout share a lock until all are refused or one creates the payout", async () => {
    const enter = async (payoutId: string) => {
      const lock = await platform.parts.duplicates.enter({
        ...{ payoutId, merchantId, accountId, duplicateKeys: keysOf() },
        ...{ source: "USD", sourceMinor: 1n, destination: "USD", receivingMinor: 1n },
        ...clockNow(),
      });
      if (lock === undefined || !("end" in lock)) throw new Error("no lock");
      return lock;
    };
    const first = await enter("po_one");
    const second = await enter("po_one");
    let isEntered = false;
    const entered = enter("po_other").then((lock) => {
      isEntered = true;
      return lock;
    });
    await first.end("refused");
    expect(await locks().countDocuments({ payout_id: "po_one" })).toBe(1);
    expect(isEntered).toBe(false);
    await second.end("refused");
    const other = await entered;
    await enter("po_other");
    await other.end("stored");
    expect(await locks().countDocuments()).toBe(0);
  });

  it("a refused execute leaves the lock to another attempt of its quote", async () => {
    const mutation = platform.operation();
    const other = { mutation, merchantId, quoteId: platform.quote(accountId) };
    await platform.rpc.executePayout({ ...other, referenceId: "" });
    const quoteId = platform.quote(accountId);
    const payoutId = derivedId("payout", quoteId);
    await platform.parts.duplicates.enter({
      ...{ payoutId, merchantId, accountId, duplicateKeys: keysOf() },
      ...{ source: "USD", sourceMinor: 1n, destination: "USD", receivingMinor: 1n },
      ...clockNow(),
    });
    const used = platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId });
    expect(await codeOf(used)).not.toBe("OK");
    expect(await locks().countDocuments({ payout_id: payoutId })).toBe(1);
    expect(await codeOf(execute(quoteId))).toBe("OK");
    expect(await locks().countDocuments()).toBe(0);
  });

  it.each([
    ["at the end of its window", 0, "OK"],
    ["a moment before", 1, "POSSIBLE_DUPLICATE"],
  ])("one that was executed %s", async (_what, laterMs, code) => {
    const { payoutId } = await execute();
    const now = new Date();
    const created_at = new Date(now.getTime() - windowSeconds * 1_000 + laterMs);
    await platform.payouts.updateOne({ _id: payoutId }, { $set: { created_at } });
    const lock = await platform.parts.duplicates.enter({
      ...{ payoutId: "po_new", merchantId, accountId, duplicateKeys: keysOf() },
      ...{ source: "USD", sourceMinor: 1_000n, destination: "USD", receivingMinor: 1_000n },
      ...{ ...clockNow(), now },
    });
    expect(lock !== undefined && "refused" in lock ? lock.refused : "OK").toBe(code);
  });

  it("one that failed was not paid", async () => {
    const { payoutId } = await execute();
    await platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId, payoutId });
    expect(await codeOf(execute())).toBe("OK");
  });

  it("a repeat of its own execute returns the first result", async () => {
    const quoteId = platform.quote(accountId);
    const request = { mutation: platform.operation(), merchantId, quoteId, referenceId };
    const first = await platform.rpc.executePayout(request);
    expect(await platform.rpc.executePayout(request)).toEqual(first);
  });

  it("of many at once one is paid", async () => {
    const codes = await Promise.all(Array.from({ length: 6 }, () => codeOf(execute())));
    expect(codes.filter((code) => code === "OK")).toHaveLength(1);
    expect(codes.filter((code) => code === "POSSIBLE_DUPLICATE")).toHaveLength(5);
  });
});

describe("an execute that a crash cut off", () => {
  /** Ends the process at the claim: the money is held and the lock remains. */
  async function cutOff() {
    const quoteId = platform.quote(accountId);
    platform.faults.claim = () => {
      throw new Error("killed");
    };
    await codeOf(execute(quoteId));
    platform.faults.claim = () => undefined;
    return derivedId("payout", quoteId);
  }

  it("is waited for, until its payout is there", async () => {
    const payoutId = await cutOff();
    expect(await codeOf(execute())).toBe("Unavailable");
    pass(6_000);
    await platform.sweep();
    const refusal = await execute().then(() => undefined, readRefusal);
    expect(refusal).toMatchObject({ code: "POSSIBLE_DUPLICATE", payoutId });
  });

  it("is waited for as long as its money is held, however late the sweep is", async () => {
    await cutOff();
    pass(60_000);
    expect(await codeOf(execute())).toBe("Unavailable");
  });

  it("is waited for as long as its money is reserved", async () => {
    const { scheduledPayout } = await platform.ordersRpc.schedulePayout({
      mutation: platform.operation(),
      merchantId,
      accountId,
      beneficiaryId: "ben_1",
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: "USD",
      sourceAmount: "10.00",
      maxSourceAmount: "20.00",
      reserve: true,
      referenceId,
      scheduledAt: new Date(Date.now() + 60_000).toISOString(),
    });
    const runDue = async () => {
      const due = { $set: { due_at: new Date(Date.now() - 1_000) } };
      await platform.orders.updateOne({ _id: scheduledPayout?.id ?? "" }, due);
      await platform.loops.run("orders");
    };
    platform.faults.afterClaim = () => {
      throw new Error("killed");
    };
    await runDue();
    expect(await codeOf(execute())).toBe("Unavailable");
    pass(20_000);
    expect(await codeOf(execute())).toBe("Unavailable");
    platform.faults.afterClaim = () => undefined;
    await runDue();
    expect(await codeOf(execute())).toBe("POSSIBLE_DUPLICATE");
  });

  it("blocks a process with a wrong clock even before anything is held", async () => {
    await platform.parts.duplicates.enter({
      ...{ payoutId: "po_one", merchantId, accountId, duplicateKeys: keysOf() },
      ...{ source: "USD", sourceMinor: 1n, destination: "USD", receivingMinor: 1n },
      ...clockNow(),
    });
    platform.world.offsetMs = 3_600_000;
    expect(await codeOf(execute())).toBe("Unavailable");
  });

  it("doesn't block after the clock of quotes was set back and nothing is held", async () => {
    platform.world.quoteOffsetMs = 200_000;
    await cutOff();
    for (const quote of platform.quotes.values()) {
      if (quote.claim === undefined) quote.expiresAt = new Date(0);
    }
    pass(6_000);
    await platform.sweep();
    platform.world.quoteOffsetMs = 0;
    expect(await codeOf(execute())).toBe("OK");
  });

  it("doesn't block after its quote has expired and nothing is held", async () => {
    await cutOff();
    for (const quote of platform.quotes.values()) {
      if (quote.claim === undefined) quote.expiresAt = new Date(0);
    }
    pass(6_000);
    await platform.sweep();
    expect(await codeOf(execute())).toBe("OK");
    expect(await locks().countDocuments()).toBe(0);
  });
});

type Method = "insertOne" | "updateOne";

describe("a lock", () => {
  const asked = (payoutId: string, keys = keysOf()) => ({
    ...{ payoutId, merchantId, accountId, duplicateKeys: keys },
    ...{ source: "USD", sourceMinor: 1n, destination: "USD", receivingMinor: 1n },
    ...clockNow(),
  });
  /** A guard whose first write of this kind is confirmed late, as during a failover. */
  function guardWith(method: Method) {
    let late = 0;
    const collection = intercepted(locks(), [method], async (write) => {
      const result: unknown = await write();
      if (++late === 1) await pause(1_100);
      return result;
    });
    const { payouts, ledger } = platform;
    const controls = { of: () => ({ duplicateWindowMs: 60_000, approval: undefined }) };
    const database = { db: { collection: () => collection } } as never;
    return createDuplicateGuard({ database, payouts, ledger, controls });
  }
  const left = (payoutId: string, ageMs: number, key = keysOf()[0]): Promise<unknown> =>
    locks().insertOne({
      ...{ _id: `${merchantId}:${key}` as never, schema_version: 1 },
      ...{ payout_id: payoutId, account_id: accountId, taken_at: new Date(Date.now() - ageMs) },
    });
  const ageOf = async (payoutId: string) => {
    const lock = await locks().findOne({ payout_id: payoutId });
    return Date.now() - lock?.taken_at.getTime();
  };

  it.each([
    ["that is new", "insertOne", async () => undefined],
    ["that a crash left", "updateOne", () => left("po_crashed", 10_000)],
    ["of another attempt", "updateOne", () => left("po_late", 3_000)],
  ] satisfies [string, Method, () => Promise<unknown>][])(
    "%s is taken again if its write was late",
    async (_which, method, prepare) => {
      await prepare();
      expect(await guardWith(method).enter(asked("po_late"))).toHaveProperty("end");
      expect(await ageOf("po_late")).toBeLessThan(1_000);
    },
  );

  it("lasts from the latest attempt that shares it", async () => {
    await left("po_shared", 4_900);
    const { duplicates } = platform;
    await duplicates.enter(asked("po_shared"));
    expect(await ageOf("po_shared")).toBeLessThan(1_000);
    await expect(duplicates.enter(asked("po_other"))).rejects.toThrow("is being executed");
  });

  it("is given back if another one was awaited for long", async () => {
    const keys = [`${keysOf()[0]}-1`, `${keysOf()[0]}-2`];
    await left("po_other", 0, keys[1]);
    setTimeout(() => void locks().deleteOne({ payout_id: "po_other" }), 1_300);
    const entered = platform.duplicates.enter(asked("po_waits", keys));
    await expect(entered).rejects.toThrow("is being executed");
    expect(await locks().countDocuments({ payout_id: "po_waits" })).toBe(0);
  });
});

describe("a merchant without a guard", () => {
  /** Fails on any access: nothing may be read or written. */
  const untouched = new Proxy({}, { get: () => expect.fail("read or written") });
  const guardOf = (duplicateWindowMs: number | undefined) =>
    createDuplicateGuard({
      database: { db: { collection: () => untouched } } as never,
      ...{ payouts: untouched as never, ledger: untouched as never },
      controls: { of: () => ({ duplicateWindowMs, approval: undefined }) },
    });
  const asked = {
    ...{ payoutId: "po_new", merchantId, accountId: "acc_1" },
    ...{ source: "USD", sourceMinor: 1n, destination: "USD", receivingMinor: 1n },
    ...clockNow(),
  };

  it("pays twice, and nothing is read or written for it", async () => {
    await guard(0);
    for (const _ of ["first", "second"]) expect(await codeOf(execute())).toBe("OK");
    expect(await guardOf(undefined).enter({ ...asked, duplicateKeys: keysOf() })).toBeUndefined();
    expect(await guardOf(1).enter({ ...asked, duplicateKeys: [] })).toBeUndefined();
    await expect(guardOf(1).enter({ ...asked, duplicateKeys: keysOf() })).rejects.toThrow(
      "read or written",
    );
  });
});
