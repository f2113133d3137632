import type { Database } from "@disburse/chassis/mongo/database.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openLedger } from "./accounts.ts";
import { recordRecent } from "./recorder.ts";

/** Two processes that write the same accounts, each remembering what it has written. */

const merchantId = "mer_1";
let platform: TestPlatform;
let other: Awaited<ReturnType<typeof openLedger>>;
beforeAll(async () => {
  platform = await startTestPlatform();
  other = await openLedger(platform.database);
});
afterAll(() => platform.stop());

const held = (accountId: string, payoutId: string, amount: bigint) =>
  [
    { merchantId, accountId },
    { step: "hold", amount, payoutId, note: "" },
  ] as const;

const stored = (accountId: string) => platform.ledger.accounts.findOne({ _id: accountId });

/** A database that counts reads of accounts with the database's time. */
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
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const { database, counted } = counting(platform.database);
  const ledger = await openLedger(database);
  for (const payout of ["po_1", "po_2", "po_3"]) {
    const applied = await ledger.apply(...held(accountId, payout, 1_000n));
    expect(applied).toMatchObject({ outcome: "applied" });
    await recordRecent(ledger);
  }
  expect(counted.reads).toBe(1);
  expect(await ledger.apply(...held(accountId, "po_2", 1_000n))).toMatchObject({
    ...{ outcome: "applied", entry: { sequence: 3 } },
  });
  expect(await stored(accountId)).toMatchObject({ sequence: 4 });
});

it("money that another process has credited is there for the next hold", async () => {
  const accountId = await platform.fundedAccount(merchantId, "10.00");
  expect(await platform.ledger.apply(...held(accountId, "po_4", 1_000n))).toMatchObject({
    outcome: "applied",
  });
  const credit = { step: "credit", amount: 5_000n, note: "", operationId: "credited elsewhere" };
  await other.apply({ merchantId, accountId }, credit as never);
  expect(await platform.ledger.apply(...held(accountId, "po_5", 5_000n))).toMatchObject({
    outcome: "applied",
  });
  expect(await platform.ledger.apply(...held(accountId, "po_6", 1n))).toMatchObject({
    outcome: "insufficient",
  });
});

it("what another process has held is not held again, recorded or not", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  await platform.ledger.apply(...held(accountId, "po_7", 100n));
  for (const isRecorded of [false, true]) {
    const payoutId = `po_elsewhere_${isRecorded}`;
    await other.apply(...held(accountId, payoutId, 100n));
    if (isRecorded) await recordRecent(other);
    const before = await stored(accountId);
    await platform.ledger.apply(...held(accountId, payoutId, 100n));
    expect(await stored(accountId)).toEqual(before);
  }
});

it("an account whose write failed is read again", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  await platform.ledger.apply(...held(accountId, "po_8", 100n));
  const { updateOne } = platform.ledger.accounts;
  vi.spyOn(platform.ledger.accounts, "updateOne").mockImplementationOnce(async (...given) => {
    await updateOne(...given);
    throw new Error("the answer was lost");
  });
  await expect(platform.ledger.apply(...held(accountId, "po_9", 100n))).rejects.toThrow("lost");
  expect(await platform.ledger.apply(...held(accountId, "po_9", 100n))).toMatchObject({
    outcome: "applied",
  });
  expect(await stored(accountId)).toMatchObject({ sequence: 3 });
});

it("says so when another process had changed the account", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  let retries = 0;
  const onRetried = () => {
    retries += 1;
  };
  const ledger = await openLedger(platform.database, { onRetried });
  await ledger.apply(...held(accountId, "po_retried_1", 1_000n));
  expect(retries).toBe(0);
  await other.apply(...held(accountId, "po_retried_2", 1_000n));
  await ledger.apply(...held(accountId, "po_retried_3", 1_000n));
  expect(retries).toBe(1);
});

it("what came while a write failed goes into the next try", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  let late: ReturnType<typeof platform.ledger.apply> | undefined;
  const ledger = await openLedger(platform.database, {
    onRetried: () => {
      late ??= ledger.apply(...held(accountId, "po_merged_3", 1_000n));
    },
  });
  await ledger.apply(...held(accountId, "po_merged_1", 1_000n));
  await other.apply(...held(accountId, "po_merged_2", 1_000n));
  const updates = vi.spyOn(ledger.accounts, "updateOne");
  await ledger.apply(...held(accountId, "po_merged_4", 1_000n));
  expect(await late).toMatchObject({ outcome: "applied" });
  // The one that failed, and the one for both.
  expect(updates).toHaveBeenCalledTimes(2);
  expect(await stored(accountId)).toMatchObject({ sequence: 5, held: expect.anything() });
});
