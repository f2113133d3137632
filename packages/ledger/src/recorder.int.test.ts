import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import {
  type OptInEvent,
  OptInEventSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openLedger, readAccount } from "./accounts.ts";
import type { AccountDocument, LedgerDocument } from "./documents.ts";
import { recordCarried } from "./recorder.ts";
import { startTestLedger, type TestLedger } from "./test-ledger.ts";
import { publishedMax, tidyAccount, untidyAccounts } from "./tidy.ts";
import { createAccountWriter, quietMs } from "./writer.ts";

const merchantId = "mer_1";
let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await startTestLedger();
});
afterAll(() => testLedger.stop());

const accounts = () => testLedger.database.db.collection<AccountDocument>("accounts");
const ledger = () => testLedger.database.db.collection<LedgerDocument>("ledger_entries");
const read = async (accountId: string) =>
  (await accounts().findOne({ _id: accountId })) as AccountDocument;

const holdOf = (payoutId: string, amount = 100n) =>
  ({ step: "hold", amount, payoutId, note: "" }) as const;

const published: OptInEvent[] = [];
let fails = false;
/** Runs while messages are sent. */
let onPublish = async (): Promise<void> => undefined;
const bus: Bus = {
  publish: async (messages) => {
    if (fails) throw new Error("the broker is away");
    await onPublish();
    published.push(...messages.map(({ body }) => fromBinary(OptInEventSchema, body)));
  },
  subscribe: async () => undefined,
  ready: () => true,
  stop: async () => undefined,
};

/** A time at which all earlier movements are old. */
const later = () => new Date(Date.now() + quietMs + 1_000);

/** Tidies one account, like a sweep that knows these payouts. */
async function tidy(accountId: string, created: readonly string[] = [], now = later()) {
  for await (const found of untidyAccounts(testLedger.ledger, now)) {
    const isCreated = (payoutId: string) => created.includes(payoutId);
    for (const account of found.filter(({ _id }) => _id === accountId)) {
      await tidyAccount(testLedger.ledger, account, { isCreated, now, bus });
    }
  }
}

const isRecorded = (key: string) =>
  vi.waitFor(async () => expect(await ledger().findOne({ _id: key })).not.toBeNull(), 10_000);

/** A tidy account of 100.00, and then one hold of it. */
async function heldAccount() {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  await testLedger.tidy();
  const payoutId = `po_${accountId}`;
  const target = { merchantId, accountId };
  await testLedger.ledger.apply(target, holdOf(payoutId));
  await isRecorded(`${payoutId}:hold`);
  return { accountId, payoutId, target, key: `${payoutId}:hold` };
}

describe("an account", () => {
  it("is written once per movement; the next write removes recorded entries", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    const carried = (await read(accountId)).recent.map(({ key }) => key);
    expect(carried).toEqual([`${payoutId}:hold`]);
    const before = await read(accountId);
    await testLedger.ledger.apply(target, holdOf("po_next_of", 1n));
    expect(await read(accountId)).toMatchObject({
      revision: before.revision + 1,
      recorded_sequence: 2,
      recent: [{ key: "po_next_of:hold" }],
      open_holds: [{ payout_id: payoutId }, { payout_id: "po_next_of" }],
      dirty: true,
    });
  });

  it("forgets a hold that is closed, or ended, with its next write", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    const open = async () => (await read(accountId)).open_holds.map((each) => each.payout_id);
    testLedger.ledger.closeHold(accountId, payoutId);
    expect(await open()).toEqual([payoutId]);
    await testLedger.ledger.apply(target, holdOf("po_ended"));
    expect(await open()).toEqual(["po_ended"]);
    await testLedger.ledger.apply(target, { step: "release", payoutId: "po_ended", note: "" });
    expect(await open()).toEqual([]);
  });

  it("is tidied by one write when it is quiet", async () => {
    const { accountId, payoutId } = await heldAccount();
    const before = await read(accountId);
    await tidy(accountId, [payoutId], new Date());
    expect(await read(accountId)).toEqual(before);
    await tidy(accountId, [payoutId]);
    const { dirty, ...after } = await read(accountId);
    expect(dirty).toBeUndefined();
    expect(after).toMatchObject({
      revision: before.revision + 1,
      recorded_sequence: 2,
      recent: [],
      open_holds: [],
    });
  });

  it("stays untidy while a hold of it may have no payout", async () => {
    const { accountId, payoutId } = await heldAccount();
    await tidy(accountId);
    const after = await read(accountId);
    expect(after).toMatchObject({ recent: [], open_holds: [{ payout_id: payoutId }], dirty: true });
    await tidy(accountId);
    expect(await read(accountId)).toEqual(after);
  });

  it("loses an old hold while money moves in it, once its payout exists", async () => {
    const { accountId, payoutId } = await heldAccount();
    const since = new Date(Date.now() - quietMs - 1_000);
    await accounts().updateOne(
      { _id: accountId },
      { $set: { open_holds: [{ payout_id: payoutId, since }] } },
    );
    await tidy(accountId, [], new Date());
    expect((await read(accountId)).open_holds).toHaveLength(1);
    await tidy(accountId, [payoutId], new Date());
    expect((await read(accountId)).open_holds).toEqual([]);
  });

  it("that was dated ahead by a wrong clock is tidied too", async () => {
    const { accountId, payoutId } = await heldAccount();
    const ahead = new Date(Date.now() + 3_600_000);
    await accounts().updateOne({ _id: accountId }, { $set: { updated_at: ahead } });
    await tidy(accountId, [payoutId], new Date());
    expect((await read(accountId)).dirty).toBeUndefined();
  });

  it("is not tidied by a sweep that read it before a movement", async () => {
    const { accountId, payoutId, target } = await heldAccount();
    const before = await read(accountId);
    await testLedger.ledger.apply(target, holdOf("po_between", 1n));
    const after = await read(accountId);
    const isCreated = (id: string) => id === payoutId;
    await tidyAccount(testLedger.ledger, before, { isCreated, now: later() });
    expect(await read(accountId)).toEqual(after);
  });

  it("keeps entries that a crash left unrecorded until a sweep has recorded them", async () => {
    const { accountId, key } = await heldAccount();
    await ledger().deleteOne({ _id: key });
    const failing = { find: () => ({ toArray: () => Promise.reject(new Error("away")) }) };
    const account = await read(accountId);
    const collections = { accounts: accounts(), entries: failing as never };
    const isCreated = () => true;
    await expect(tidyAccount(collections, account, { isCreated, now: later() })).rejects.toThrow(
      "away",
    );
    expect(await read(accountId)).toEqual(account);
    await tidy(accountId);
    expect(await read(accountId)).toMatchObject({ recent: [], recorded_sequence: 2 });
    expect(await ledger().findOne({ _id: key })).toMatchObject({ sequence: 2 });
  });

  it("keeps entries that can't be recorded", async () => {
    const { accountId, target, key } = await heldAccount();
    const onUnrecorded = vi.fn();
    const real = ledger();
    const away = Object.assign(Object.create(real), {
      insertOne: () => Promise.reject(new Error("away")),
    });
    const { apply } = createAccountWriter(
      { accounts: accounts(), entries: away },
      { onUnrecorded },
    );
    await apply(target, holdOf("po_unrecorded_1", 1n));
    await vi.waitFor(() => expect(onUnrecorded).toHaveBeenCalledOnce());
    await apply(target, holdOf("po_unrecorded_2", 1n));
    const keys = (await read(accountId)).recent.map((each) => each.key);
    expect(keys).toEqual(["po_unrecorded_1:hold", "po_unrecorded_2:hold"]);
    expect(keys).not.toContain(key);
    await tidy(accountId);
    expect(await ledger().countDocuments({ account_id: accountId })).toBe(4);
  });

  it("that another process moved is recorded by the next one that moves it", async () => {
    const { accountId, target } = await heldAccount();
    const silent = Object.assign(Object.create(ledger()), {
      insertOne: () => new Promise(() => undefined),
    });
    const other = createAccountWriter({ accounts: accounts(), entries: silent });
    await other.apply(target, holdOf("po_crashed", 1n));
    await testLedger.ledger.apply(target, holdOf("po_after_crash", 1n));
    await isRecorded("po_crashed:hold");
    await isRecorded("po_after_crash:hold");
    await vi.waitFor(async () => {
      await testLedger.ledger.apply(target, holdOf(`po_${crypto.randomUUID()}`, 1n));
      expect((await read(accountId)).recorded_sequence).toBeGreaterThan(3);
    }, 10_000);
  });

  it("reports a movement that was applied twice, and stays as it is", async () => {
    const { accountId, key } = await heldAccount();
    const before = await read(accountId);
    const forged = before.recent.map((each) => ({ ...each, hash: "other" }));
    await accounts().updateOne({ _id: accountId }, { $set: { recent: forged } });
    for (let run = 0; run < 2; run += 1) {
      await expect(tidy(accountId)).rejects.toThrow(`movement ${key} was applied twice`);
    }
    expect(await read(accountId)).toEqual({ ...before, recent: forged });
    await accounts().deleteOne({ _id: accountId });
  });
});

describe("a credit", () => {
  const of = (accountId: string) =>
    published.filter(({ transactionId }) => transactionId === accountId);

  it("is published once it is in the ledger, and no other movement is", async () => {
    const accountId = await testLedger.fundedAccount(merchantId, "100.00");
    const [credit = ""] = (await read(accountId)).recent.map((each) => each.key);
    await isRecorded(credit);
    await ledger().deleteOne({ _id: credit });
    await tidy(accountId, [], new Date());
    await isRecorded(credit);
    // The account is busy: another write would delay its movements.
    expect((await read(accountId)).recent).toHaveLength(1);
    await testLedger.ledger.apply({ merchantId, accountId }, holdOf("po_unpublished"));
    await tidy(accountId, ["po_unpublished"]);
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
    await tidy(accountId, ["po_unpublished"]);
    expect((await read(accountId)).dirty).toBeUndefined();
    expect(of(accountId)).toHaveLength(1);
  });

  it("stays in its account while the broker is away, even if a statement recorded it", async () => {
    const accountId = await testLedger.fundedAccount(merchantId, "7.00");
    await recordCarried(ledger(), [await read(accountId)]);
    fails = true;
    await expect(tidy(accountId)).rejects.toThrow("the broker is away");
    expect(await read(accountId)).toMatchObject({ dirty: true, credited: { from: 1, to: 1 } });
    fails = false;
    await tidy(accountId);
    await tidy(accountId);
    expect(of(accountId)).toHaveLength(1);
    expect((await read(accountId)).dirty).toBeUndefined();
  });
});

describe("many credits", () => {
  const credits = (accountId: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        const credit = { step: "credit", operationId: crypto.randomUUID(), amount: 1n } as const;
        const target = { merchantId, accountId };
        return testLedger.ledger.apply(target, { ...credit, note: "" });
      }),
    );
  const sequencesOf = (accountId: string) =>
    published
      .filter(({ transactionId }) => transactionId === accountId)
      .map(({ sequence }) => Number(sequence));
  const upTo = (count: number) => Array.from({ length: count }, (_each, at) => at + 1);

  it("while the broker is away take two numbers of the account, and all are published", async () => {
    const accountId = await testLedger.fundedAccount(merchantId, "7.00");
    await credits(accountId, publishedMax);
    const held = holdOf(`po_among_${accountId}`);
    await testLedger.ledger.apply({ merchantId, accountId }, held);
    await credits(accountId, 1);
    fails = true;
    await expect(tidy(accountId)).rejects.toThrow("the broker is away");
    const last = publishedMax + 3;
    expect((await read(accountId)).credited).toEqual({ from: 1, to: last });
    fails = false;
    await tidy(accountId);
    expect(sequencesOf(accountId)).toEqual(upTo(publishedMax));
    await tidy(accountId);
    expect(sequencesOf(accountId)).toEqual([...upTo(publishedMax + 1), last]);
    expect((await read(accountId)).credited).toBeUndefined();
  });

  it("that come during the publication are published after it", async () => {
    const accountId = await testLedger.fundedAccount(merchantId, "7.00");
    onPublish = async () => {
      onPublish = async () => undefined;
      await credits(accountId, 1);
    };
    await tidy(accountId);
    expect(await read(accountId)).toMatchObject({ dirty: true, credited: { from: 2, to: 2 } });
    await tidy(accountId);
    expect(sequencesOf(accountId)).toEqual([1, 2]);
  });
});

describe("a movement", () => {
  it("is not repeated when only the ledger still knows it", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    await testLedger.tidy();
    const { apply } = createAccountWriter({ accounts: accounts(), entries: ledger() });
    expect(await apply(target, holdOf(payoutId))).toMatchObject({
      ...{ outcome: "applied", entry: { sequence: 2 } },
    });
    expect(await read(accountId)).toMatchObject({ sequence: 2 });
  });

  it("reads only the deciding entries of a long ledger", async () => {
    const { target, payoutId, key } = await heldAccount();
    await testLedger.tidy();
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
    const { apply } = createAccountWriter({ accounts: accounts(), entries: watched });
    const made = await apply(target, { step: "release", payoutId, note: "" });
    expect([made.outcome, found]).toEqual(["applied", [key]]);
  });

  it("happens once although it was recorded between the two reads of a slow writer", async () => {
    const { accountId, target, payoutId } = await heldAccount();
    const real = ledger();
    const late = {
      find: (...args: Parameters<typeof real.find>) => ({
        toArray: async () => {
          await testLedger.tidy();
          return real.find(...args).toArray();
        },
      }),
    } as unknown as typeof real;
    const { apply } = createAccountWriter({ accounts: accounts(), entries: late });
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
            await testLedger.ledger.apply(target, holdOf(`po_other_${interfered}`, 4_000n));
          }
          return found;
        },
      }),
    } as unknown as typeof real;
    const { apply } = createAccountWriter({ accounts: accounts(), entries: slow });
    const made = await apply(target, holdOf("po_unlucky", 4_000n));
    expect(made).toEqual({ outcome: "insufficient" });
    expect(interfered).toBe(3);
    expect(await readAccount(testLedger.ledger, merchantId, accountId)).toMatchObject({
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
    const { apply } = createAccountWriter({ accounts: accounts(), entries: failing });
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
    const made = await testLedger.ledger.apply(target, holdOf("po_f", 1n));
    expect(made).toEqual({ outcome: "no_account" });
    const account = await readAccount(testLedger.ledger, merchantId, accountId);
    expect(account).toMatchObject({ available: 9_900n, held: 100n });
  });
});

it("four processes spend one account to exactly nothing, each movement once", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  const { databaseName } = testLedger.database.db;
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
  expect(await readAccount(testLedger.ledger, merchantId, accountId)).toMatchObject({
    ...{ available: 0n, held: 10_000n },
  });
  await tidy(accountId);
  const entries = await ledger().find({ account_id: accountId }).sort({ sequence: 1 }).toArray();
  expect(entries.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 11 }, (_e, at) => at + 1),
  );
  expect(entries.slice(1).map(({ previous_hash }) => previous_hash)).toEqual(
    entries.slice(0, -1).map(({ hash }) => hash),
  );
  await Promise.all(databases.map((database) => database.close()));
});
