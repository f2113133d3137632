import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import {
  type OptInEvent,
  OptInEventSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { closeHolds, openHolds, openLedger, readAccount } from "./accounts.ts";
import type { AccountDocument, LedgerDocument } from "./documents.ts";
import { recordAccount, recordRecent } from "./recorder.ts";
import { createAccountWriter } from "./writer.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const accounts = () => platform.database.db.collection<AccountDocument>("accounts");
const ledger = () => platform.database.db.collection<LedgerDocument>("ledger_entries");
const read = async (accountId: string) =>
  (await accounts().findOne({ _id: accountId })) as AccountDocument;

const holdOf = (payoutId: string, amount = 100n) =>
  ({ step: "hold", amount, payoutId, note: "" }) as const;

const published: OptInEvent[] = [];
let fails = false;
const bus: Bus = {
  publish: async (messages) => {
    if (fails) throw new Error("the broker is away");
    published.push(...messages.map(({ body }) => fromBinary(OptInEventSchema, body)));
  },
  subscribe: async () => undefined,
  ready: () => true,
  stop: async () => undefined,
};

/** An account of 100.00, its credit recorded, with one hold that is not. */
async function heldAccount() {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  await recordRecent(platform.ledger);
  const payoutId = `po_${accountId}`;
  const target = { merchantId, accountId };
  await platform.ledger.apply(target, holdOf(payoutId));
  return { accountId, payoutId, target, key: `${payoutId}:hold` };
}

describe("the recorder", () => {
  it("takes a movement out of its account only when it is in the ledger", async () => {
    await platform.fundedAccount(merchantId, "1.00");
    const { accountId, payoutId, key } = await heldAccount();
    await closeHolds(platform.ledger, accountId, [payoutId]);
    expect(await read(accountId)).toMatchObject({ recorded_sequence: 1, dirty: true });
    await recordRecent(platform.ledger);
    expect(await read(accountId)).toMatchObject({ recorded_sequence: 2, recent: [] });
    expect(await ledger().findOne({ _id: key })).toMatchObject({ sequence: 2 });
    await recordRecent(platform.ledger, bus);
    await recordRecent(platform.ledger, bus);
    expect((await read(accountId)).dirty).toBeUndefined();
  });

  it("goes on where a crash between its two writes left it", async () => {
    const { accountId, key } = await heldAccount();
    const before = await read(accountId);
    await recordRecent(platform.ledger);
    await accounts().replaceOne({ _id: accountId }, before);
    await recordRecent(platform.ledger);
    expect(await read(accountId)).toMatchObject({ recorded_sequence: 2, recent: [] });
    expect(await ledger().countDocuments({ account_id: accountId })).toBe(2);
    expect(await ledger().findOne({ _id: key })).toMatchObject({ sequence: 2 });
  });

  it("keeps what was moved while it was writing to the ledger", async () => {
    const { accountId, target } = await heldAccount();
    const real = ledger();
    const slow = {
      insertOne: async (...args: Parameters<typeof real.insertOne>) => {
        await platform.ledger.apply(target, holdOf("po_meanwhile", 7n));
        return real.insertOne(...args);
      },
    } as unknown as typeof real;
    await recordRecent({ accounts: accounts(), entries: slow });
    expect((await read(accountId)).recent.map(({ key }) => key)).toEqual(["po_meanwhile:hold"]);
    await recordRecent(platform.ledger);
    expect(await ledger().findOne({ _id: "po_meanwhile:hold" })).toMatchObject({ sequence: 3 });
  });

  it.each([
    ["moved", false],
    ["has a hold that is open", true],
  ])("comes back to an account that %s since it was read", async (_what, isRecorded) => {
    const accountId = await platform.fundedAccount(merchantId, "1.00");
    await recordRecent(platform.ledger);
    const before = await read(accountId);
    expect(before).toMatchObject({ recent: [], open_holds: [], dirty: true });
    await platform.ledger.apply({ merchantId, accountId }, holdOf(`po_${accountId}`));
    if (isRecorded) await recordRecent(platform.ledger);
    await recordAccount(platform.ledger, before);
    expect((await read(accountId)).dirty).toBe(true);
  });

  it("says aloud when a movement was applied twice, and goes on with the others", async () => {
    const { accountId, key } = await heldAccount();
    const other = await platform.fundedAccount(merchantId, "1.00");
    const before = await read(accountId);
    await recordRecent({ accounts: accounts(), entries: ledger() });
    await platform.ledger.apply({ merchantId, accountId: other }, holdOf("po_other", 1n));
    const forged = before.recent.map((each) => ({ ...each, hash: "other" }));
    await accounts().replaceOne({ _id: accountId }, { ...before, recent: forged });
    await expect(recordRecent(platform.ledger)).rejects.toMatchObject({
      errors: [expect.objectContaining({ message: `movement ${key} was applied twice` })],
    });
    expect(await read(other)).toMatchObject({ recent: [] });
    await accounts().deleteOne({ _id: accountId });
  });
});

describe("a credit", () => {
  const of = (accountId: string) =>
    published.filter(({ transactionId }) => transactionId === accountId);
  const record = () => recordRecent(platform.ledger, bus);

  it("is published once it is in the ledger, and no other movement is", async () => {
    const { accountId, payoutId, key } = await heldAccount();
    await closeHolds(platform.ledger, accountId, [payoutId]);
    await record();
    await record();
    expect(await ledger().findOne({ _id: key })).not.toBeNull();
    const [event, ...others] = of(accountId);
    expect(others).toEqual([]);
    const { created_at, _id } = (await ledger().findOne({ account_id: accountId, sequence: 1 }))!;
    expect(event).toMatchObject({
      ...{
        eventId: `evt_${accountId.slice(4)}_1`,
        merchantId,
        transactionType: "account.credited",
      },
      ...{ transactionId: accountId, status: "credited", sequence: 1n },
    });
    expect(event?.dataJson).toBe(
      `{"id":"${accountId}","status":"credited","merchant_id":"${merchantId}","entry_id":"${_id}",` +
        '"currency_code":"USD","amount":100.00,"available":100.00,"held":0.00,"note":"",' +
        `"created_at":"${created_at.toISOString()}"}`,
    );
    await record();
    expect((await read(accountId)).dirty).toBeUndefined();
    expect(of(accountId)).toHaveLength(1);
  });

  it("stays in its account while the broker is away, also where a statement recorded it", async () => {
    const accountId = await platform.fundedAccount(merchantId, "7.00");
    await recordAccount(platform.ledger, await read(accountId));
    fails = true;
    await expect(record()).rejects.toThrow("accounts not recorded");
    expect(await read(accountId)).toMatchObject({ dirty: true, recent: [] });
    fails = false;
    await record();
    await record();
    expect(of(accountId)).toHaveLength(1);
    expect((await read(accountId)).dirty).toBeUndefined();
  });
});

describe("a movement", () => {
  it("is not repeated when only the ledger still knows it", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    await recordRecent(platform.ledger);
    const apply = createAccountWriter({ accounts: accounts(), entries: ledger() });
    expect(await apply(target, holdOf(payoutId))).toMatchObject({
      ...{ outcome: "applied", entry: { sequence: 2 } },
    });
    expect(await read(accountId)).toMatchObject({ sequence: 2 });
  });

  it("reads of a long ledger only what decides on it", async () => {
    const { target, payoutId, key } = await heldAccount();
    await recordRecent(platform.ledger);
    const real = ledger();
    const found: string[] = [];
    const watched = {
      find: (...args: Parameters<typeof real.find>) => ({
        toArray: async () => {
          const entries = await real.find(...args).toArray();
          found.push(...entries.map(({ _id }) => _id));
          return entries;
        },
      }),
    } as unknown as typeof real;
    const apply = createAccountWriter({ accounts: accounts(), entries: watched });
    const made = await apply(target, { step: "release", payoutId, note: "" });
    expect([made.outcome, found]).toEqual(["applied", [key]]);
  });

  it("happens once although it was recorded between the two reads of a slow writer", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    const real = ledger();
    const late = {
      find: (...args: Parameters<typeof real.find>) => ({
        toArray: async () => {
          await recordRecent(platform.ledger);
          return real.find(...args).toArray();
        },
      }),
    } as unknown as typeof real;
    const apply = createAccountWriter({ accounts: accounts(), entries: late });
    expect((await apply(target, holdOf(payoutId))).outcome).toBe("applied");
    expect(await read(accountId)).toMatchObject({ sequence: 2 });
  });

  it("begins again when another process moved the account's money meanwhile", async () => {
    const { accountId, target } = await heldAccount();
    const real = ledger();
    let interfered = 0;
    const slow = {
      find: (...args: Parameters<typeof real.find>) => ({
        toArray: async () => {
          const found = await real.find(...args).toArray();
          if (interfered++ < 2) {
            await platform.ledger.apply(target, holdOf(`po_other_${interfered}`, 4_000n));
          }
          return found;
        },
      }),
    } as unknown as typeof real;
    const apply = createAccountWriter({ accounts: accounts(), entries: slow });
    const made = await apply(target, holdOf("po_unlucky", 4_000n));
    expect(made).toEqual({ outcome: "insufficient" });
    expect(interfered).toBe(3);
    expect(await readAccount(platform.ledger, merchantId, accountId)).toMatchObject({
      held: 8_100n,
    });
  });

  it("fails with its engine, as all that wait with it do, and holds up none after it", async () => {
    const { accountId, target } = await heldAccount();
    const real = ledger();
    let isCut = true;
    const failing = {
      find: (...args: Parameters<typeof real.find>) => ({
        toArray: async () => {
          if (isCut) throw new Error("cut");
          return real.find(...args).toArray();
        },
      }),
    } as unknown as typeof real;
    const apply = createAccountWriter({ accounts: accounts(), entries: failing });
    const tries = ["po_1", "po_2", "po_3"].map((id) => apply(target, holdOf(`${id}_${accountId}`)));
    const ends = await Promise.allSettled(tries);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    isCut = false;
    expect(await apply(target, holdOf(`po_4_${accountId}`))).toMatchObject({ outcome: "applied" });
    expect((await read(accountId)).sequence).toBe(3);
  });

  it("by another merchant does not touch the account", async () => {
    const { accountId } = await heldAccount();
    const target = { merchantId: "mer_2", accountId };
    const made = await platform.ledger.apply(target, holdOf("po_f", 1n));
    expect(made).toEqual({ outcome: "no_account" });
    const account = await readAccount(platform.ledger, merchantId, accountId);
    expect(account).toMatchObject({ available: 9_900n, held: 100n });
  });
});

describe("an open hold", () => {
  it("stays in its account until its payout is known", async () => {
    const accountId = await platform.fundedAccount(merchantId, "100.00");
    const target = { merchantId, accountId };
    await platform.ledger.apply(target, holdOf("po_o", 5n));
    await platform.ledger.apply(target, holdOf("po_p", 1n));
    await recordRecent(platform.ledger);
    const open = async () => {
      const soon = new Date(Date.now() + 60_000);
      const found = await Array.fromAsync(openHolds(platform.ledger, soon));
      return found
        .filter((each) => each.accountId === accountId)
        .flatMap(({ holds }) => holds.map((each) => each.payout_id));
    };
    expect(await open()).toEqual(["po_o", "po_p"]);
    const [{ since } = expect.unreachable("no hold")] = (await read(accountId)).open_holds;
    const before = await Array.fromAsync(openHolds(platform.ledger, since));
    expect(before.map((each) => each.accountId)).not.toContain(accountId);
    await recordRecent(platform.ledger);
    expect((await read(accountId)).dirty).toBe(true);
    await closeHolds(platform.ledger, accountId, ["po_o"]);
    expect(await open()).toEqual(["po_p"]);
    expect(await platform.ledger.apply(target, holdOf("po_o", 5n))).toMatchObject({
      outcome: "applied",
    });
    expect(await open()).toEqual(["po_p"]);
    expect(await readAccount(platform.ledger, merchantId, accountId)).toMatchObject({ held: 6n });
  });
});

it("four processes spend one account to exactly nothing, each movement once", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const { databaseName } = platform.database.db;
  const databases = await Promise.all(
    [1, 2, 3, 4].map(() => connectDatabase(mongodbUri(databaseName), databaseName)),
  );
  const stores = await Promise.all(databases.map((each) => openLedger(each)));
  const holds = Array.from({ length: 40 }, (_each, at) => holdOf(`po_${accountId}_${at}`, 1_000n));
  const target = { merchantId, accountId };
  const made = await Promise.all(
    stores.flatMap((store) => holds.map((movement) => store.apply(target, movement))),
  );
  const applied = made.filter((each) => each.outcome === "applied");
  expect(new Set(applied.map(({ entry }) => entry.sequence)).size).toBe(10);
  expect(await readAccount(platform.ledger, merchantId, accountId)).toMatchObject({
    ...{ available: 0n, held: 10_000n },
  });
  await Promise.all(stores.map((store) => recordRecent(store)));
  const entries = await ledger().find({ account_id: accountId }).sort({ sequence: 1 }).toArray();
  expect(entries.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 11 }, (_e, at) => at + 1),
  );
  expect(entries.slice(1).map(({ previous_hash }) => previous_hash)).toEqual(
    entries.slice(0, -1).map(({ hash }) => hash),
  );
  await Promise.all(databases.map((database) => database.close()));
});
