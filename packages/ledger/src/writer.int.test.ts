import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { Decimal128 } from "mongodb";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { openLedger } from "./accounts.ts";
import { startTestLedger, type TestLedger } from "./test-ledger.ts";

/** Tests two processes that write the same accounts and remember their own writes. */

const merchantId = "mer_1";
let testLedger: TestLedger;
let other: Awaited<ReturnType<typeof openLedger>>;
beforeAll(async () => {
  testLedger = await startTestLedger();
  other = openLedger(testLedger.database);
});
afterAll(() => testLedger.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

const held = (accountId: string, payoutId: string, amount: bigint) =>
  [
    { merchantId, accountId },
    { step: "hold", amount, payoutId, note: "" },
  ] as const;

const stored = (accountId: string) => testLedger.ledger.accounts.findOne({ _id: accountId });

/** Counts the reads of accounts that include the database's time. */
function counting(database: Database) {
  const counted = { reads: 0 };
  const db = Object.create(database.db, {
    collection: {
      value: (name: string) => {
        const found = database.db.collection(name);
        if (name !== "accounts") return found;
        return Object.assign(Object.create(found), {
          aggregate: (...given: Parameters<typeof found.aggregate>) => {
            counted.reads += 1;
            return found.aggregate(...given);
          },
        });
      },
    },
  });
  return { database: { ...database, db }, counted };
}

it("a process reads an account once, and then knows it", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const { database, counted } = counting(testLedger.database);
  const ledger = openLedger(database);
  for (const payout of ["po_1", "po_2", "po_3"]) {
    const applied = await ledger.apply(...held(accountId, payout, 1_000n));
    expect(applied).toMatchObject({ outcome: "applied" });
  }
  expect(counted.reads).toBe(1);
  expect(await ledger.apply(...held(accountId, "po_2", 1_000n))).toMatchObject({
    ...{ outcome: "applied", entry: { sequence: 3 } },
  });
  expect(await stored(accountId)).toMatchObject({ sequence: 4 });
});

it("the ledger is only searched for entries older than a process's knowledge", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const ledger = openLedger(testLedger.database);
  const searches = vi.spyOn(ledger.entries, "find");
  const beforeRead = performance.now();
  const hold = (payoutId: string, orderedAt?: number) =>
    ledger.apply(
      { merchantId, accountId, orderedAt },
      { step: "hold", amount: 1n, payoutId, note: "" },
    );
  const searchesOf = async (move: () => Promise<unknown>): Promise<number> => {
    searches.mockClear();
    expect(await move()).toMatchObject({ outcome: "applied" });
    // The other search is for entries that the ledger already has.
    return searches.mock.calls.filter(([, options]) => options?.projection === undefined).length;
  };
  // Unknown so far.
  expect(await searchesOf(() => hold("po_30", beforeRead))).toBe(1);
  expect(await searchesOf(() => hold("po_31", performance.now()))).toBe(0);
  expect(await searchesOf(() => hold("po_32", beforeRead))).toBe(1);
  expect(await searchesOf(() => hold("po_33"))).toBe(1);
  const release = (payoutId: string) => () =>
    ledger.apply({ merchantId, accountId }, { step: "release", payoutId, note: "" });
  expect(await searchesOf(release("po_31"))).toBe(0);
  expect(await searchesOf(release("po_31"))).toBe(1);
  // Another process wrote it in the meantime.
  await other.apply(...held(accountId, "po_34", 1n));
  expect(await searchesOf(() => hold("po_34", performance.now()))).toBe(1);
  expect(await stored(accountId)).toMatchObject({ held: Decimal128.fromString("4") });
});

it("money that another process has credited is there for the next hold", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "10.00");
  expect(await testLedger.ledger.apply(...held(accountId, "po_4", 1_000n))).toMatchObject({
    outcome: "applied",
  });
  const credit = { step: "credit", amount: 5_000n, note: "", operationId: "credited elsewhere" };
  await other.apply({ merchantId, accountId }, credit as never);
  expect(await testLedger.ledger.apply(...held(accountId, "po_5", 5_000n))).toMatchObject({
    outcome: "applied",
  });
  expect(await testLedger.ledger.apply(...held(accountId, "po_6", 1n))).toMatchObject({
    outcome: "insufficient",
  });
});

it("another process's hold is not repeated, recorded or not", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  await testLedger.ledger.apply(...held(accountId, "po_7", 100n));
  for (const isRecorded of [false, true]) {
    const payoutId = `po_elsewhere_${isRecorded}`;
    await other.apply(...held(accountId, payoutId, 100n));
    if (isRecorded) await testLedger.tidy();
    const before = await stored(accountId);
    await testLedger.ledger.apply(...held(accountId, payoutId, 100n));
    expect(await stored(accountId)).toEqual(before);
  }
});

it("an account whose write failed is read again", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const onRetried = vi.fn();
  const ledger = openLedger(testLedger.database, { onRetried });
  await ledger.apply(...held(accountId, "po_8", 100n));
  const { updateOne } = ledger.accounts;
  vi.spyOn(ledger.accounts, "updateOne").mockImplementationOnce(async (...given) => {
    await updateOne.apply(ledger.accounts, given);
    throw new Error("the answer was lost");
  });
  await expect(ledger.apply(...held(accountId, "po_9", 100n))).rejects.toThrow("lost");
  expect(await ledger.apply(...held(accountId, "po_9", 100n))).toMatchObject({
    outcome: "applied",
  });
  expect(onRetried).not.toHaveBeenCalled();
  expect(await stored(accountId)).toMatchObject({ sequence: 3 });
});

it("a movement that is refused writes nothing, also to an account in memory", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  await testLedger.tidy();
  const before = await stored(accountId);
  expect(before).not.toHaveProperty("dirty");
  const made = await testLedger.ledger.apply(...held(accountId, "po_10", 10_001n));
  expect(made).toEqual({ outcome: "insufficient" });
  expect(await stored(accountId)).toEqual(before);
});

it("a key that occurs twice in one write counts once", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const tries = ["po_11", "po_12", "po_12"].map((payoutId) =>
    testLedger.ledger.apply(...held(accountId, payoutId, 100n)),
  );
  const made = await Promise.all(tries);
  expect(made.map((each) => each.outcome === "applied" && each.entry.sequence)).toEqual([2, 3, 3]);
});

it("writes up to 100 movements at a time, and keeps an account of up to 500 entries", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  await testLedger.tidy();
  const { database, counted } = counting(testLedger.database);
  const ledger = openLedger(database);
  const { updateOne } = ledger.accounts;
  const updates = vi.spyOn(ledger.accounts, "updateOne");
  // Another process changes the account during the second write.
  updates.mockImplementationOnce(updateOne).mockResolvedValueOnce({ modifiedCount: 0 } as never);
  const apply = (at: number) => ledger.apply(...held(accountId, `po_many_${at}`, 1n));
  await Promise.all(Array.from({ length: 500 }, (_each, at) => apply(at)));
  expect(updates).toHaveBeenCalledTimes(7);
  expect(counted.reads).toBe(2);
  await apply(500);
  expect(counted.reads).toBe(2);
  await apply(501);
  await apply(502);
  expect(counted.reads).toBe(3);
  await testLedger.ledger.accounts.deleteOne({ _id: accountId });
});

it("gives a movement up that others forestall a hundred times", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const ledger = openLedger(testLedger.database);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const updates = vi.spyOn(ledger.accounts, "updateOne");
  updates.mockResolvedValue({ modifiedCount: 0 } as never);
  const forestalled = ledger.apply(...held(accountId, "po_13", 100n));
  await expect(forestalled).rejects.toThrow("every attempt to write to the account conflicted");
  expect(updates).toHaveBeenCalledTimes(100);
});

it("dates movements by the database's clock, which a quiet account forgets", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const { database, counted } = counting(testLedger.database);
  const ledger = openLedger(database);
  const elapsed = vi.spyOn(performance, "now");
  const madeAt = async (payoutId: string, elapsedMs: number) => {
    elapsed.mockReturnValue(1e9 + elapsedMs);
    // The cache reads the time once per millisecond.
    await pause(5);
    const made = await ledger.apply(...held(accountId, payoutId, 100n));
    return made.outcome === "applied" ? made.entry.createdAt.getTime() : 0;
  };
  const first = await madeAt("po_14", 0);
  expect(Math.abs(first - Date.now())).toBeLessThan(60_000);
  expect(await madeAt("po_15", 4_000.9)).toBe(first + 4_000);
  expect(counted.reads).toBe(1);
  await madeAt("po_16", 200_000);
  expect(counted.reads).toBe(2);
});

it("reports that another process has changed the account", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  let retries = 0;
  const onRetried = () => {
    retries += 1;
  };
  const ledger = openLedger(testLedger.database, { onRetried });
  await ledger.apply(...held(accountId, "po_retried_1", 1_000n));
  await ledger.apply(...held(accountId, "po_refused", 10_000n));
  await ledger.apply(...held(accountId, "po_read_again", 1_000n));
  expect(retries).toBe(0);
  await other.apply(...held(accountId, "po_retried_2", 1_000n));
  await ledger.apply(...held(accountId, "po_retried_3", 1_000n));
  expect(retries).toBe(1);
});

it("movements that arrive during a failed write go into the next one", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  let late: ReturnType<typeof testLedger.ledger.apply> | undefined;
  const ledger = openLedger(testLedger.database, {
    onRetried: () => {
      late ??= ledger.apply(...held(accountId, "po_merged_3", 1_000n));
    },
  });
  await ledger.apply(...held(accountId, "po_merged_1", 1_000n));
  await other.apply(...held(accountId, "po_merged_2", 1_000n));
  const updates = vi.spyOn(ledger.accounts, "updateOne");
  await ledger.apply(...held(accountId, "po_merged_4", 1_000n));
  expect(await late).toMatchObject({ outcome: "applied" });
  // The failed write, and the write for both.
  expect(updates).toHaveBeenCalledTimes(2);
  expect(await stored(accountId)).toMatchObject({ sequence: 5, held: expect.anything() });
});

const credited = (accountId: string, operationId: string, amount: bigint) =>
  [
    { merchantId, accountId, actor: { kind: "operator", id: "ada" } },
    { step: "credit", operationId, amount, note: "" },
  ] as const;
const reversed = (accountId: string, operationId: string, creditOperation: string) => {
  const creditKey = `${accountId}:credit:${creditOperation}`;
  const movement = { step: "reversal", operationId, creditKey, note: "a mistake" } as const;
  return [{ merchantId, accountId, actor: { kind: "operator", id: "ada" } }, movement] as const;
};

it("an operation that was refused stays refused, for each process and when there is money", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "10.00");
  await testLedger.ledger.apply(...credited(accountId, "mistaken", 500n));
  await testLedger.ledger.apply(...held(accountId, "po_20", 1_200n));
  const refused = { outcome: "insufficient" };
  const before = await stored(accountId);
  expect(await testLedger.ledger.apply(...reversed(accountId, "back", "mistaken"))).toEqual(
    refused,
  );
  const { recent_refusals, revision, ...rest } = (await stored(accountId)) ?? {};
  expect({ ...rest, revision: before?.revision }).toEqual(before);
  expect([recent_refusals?.length, revision]).toEqual([1, (before?.revision ?? 0) + 1]);
  await testLedger.ledger.apply(...credited(accountId, "more", 5_000n));
  for (const ledger of [testLedger.ledger, other]) {
    expect(await ledger.apply(...reversed(accountId, "back", "mistaken"))).toEqual(refused);
  }
  expect(((await stored(accountId))?.recent_refusals ?? []).length).toBe(1);
  expect(await other.apply(...reversed(accountId, "back again", "mistaken"))).toMatchObject({
    outcome: "applied",
  });
  // An applied movement stays applied for every operation.
  for (const ledger of [testLedger.ledger, other]) {
    expect(await ledger.apply(...reversed(accountId, "back", "mistaken"))).toMatchObject({
      outcome: "applied",
    });
  }
});

it("an account that another process has refused an operation of is read again", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "10.00");
  const onRetried = vi.fn();
  const late = openLedger(testLedger.database, { onRetried });
  await late.apply(...credited(accountId, "mistaken elsewhere", 500n));
  await late.apply(...held(accountId, "po_21", 1_200n));
  // The process remembers its own refusals.
  const early = reversed(accountId, "back too early", "mistaken elsewhere");
  expect(await late.apply(...early)).toEqual({ outcome: "insufficient" });
  await late.apply(...credited(accountId, "a little", 10n));
  expect(onRetried).not.toHaveBeenCalled();
  const back = reversed(accountId, "back elsewhere", "mistaken elsewhere");
  expect(await other.apply(...back)).toEqual({ outcome: "insufficient" });
  const [funded, answer] = await Promise.all([
    late.apply(...credited(accountId, "more elsewhere", 5_000n)),
    late.apply(...back),
  ]);
  expect(funded).toMatchObject({ outcome: "applied" });
  expect(answer).toEqual({ outcome: "insufficient" });
  expect(onRetried).toHaveBeenCalledOnce();
});

it("a refused hold succeeds when there is money", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "10.00");
  const hold = held(accountId, "po_22", 1_500n);
  expect(await testLedger.ledger.apply(...hold)).toEqual({ outcome: "insufficient" });
  expect(await stored(accountId)).not.toHaveProperty("recent_refusals");
  await other.apply(...credited(accountId, "topped up", 500n));
  expect(await testLedger.ledger.apply(...hold)).toMatchObject({ outcome: "applied" });
});
