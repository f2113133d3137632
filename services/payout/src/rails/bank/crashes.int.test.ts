import { readAch } from "@disburse/bank-files/nacha/read.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrations } from "../../migrations.ts";
import { freshKey, instruction } from "../test-contract.ts";
import { type BankStore, openBankStore } from "./documents.ts";
import type { BankServer } from "./sending.ts";
import { swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer, type Deed } from "./test-server.ts";

/** A deed that a process ends before or after: a write, or something at the bank's server. */
type Killed = { readonly at: number; readonly when: "before" | "after" };

const writes = ["updateOne", "insertOne", "updateMany", "bulkWrite", "insertMany"];

let database: Database;
let store: BankStore;
let now = wednesday("12:00");
let bank = createTestServer();

beforeAll(async () => {
  database = await migratedDatabase("bank_crashes", migrations);
  store = openBankStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(begin);

async function begin(): Promise<void> {
  await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
  bank = createTestServer();
  now = wednesday("12:00");
}

/** A process that is killed before or after one of its deeds, and does nothing from then on. */
function mortal({ at, when }: Killed) {
  let deeds = 0;
  let isDead = false;
  const deed: Deed = async (act) => {
    if (isDead) throw new Error("killed");
    deeds += 1;
    if (deeds !== at) return act();
    isDead = true;
    if (when === "after") await act();
    throw new Error("killed");
  };
  const collection = <T extends object>(real: T): T =>
    new Proxy(real, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== "function") return found;
        const call = (...given: unknown[]) => Reflect.apply(found, target, given);
        if (!writes.includes(String(name))) return call;
        return (...given: unknown[]) => deed(async () => call(...given));
      },
    });
  const stored = Object.fromEntries(
    Object.entries(store).map(([name, each]) => [name, collection(each)]),
  ) as BankStore;
  return { store: stored, server: bank.serverFor(deed), isDead: () => isDead };
}

type On = { readonly store: BankStore; readonly server: BankServer };
const settingsOf = (refuses_duplicates: boolean) =>
  testSettings("iso20022", { refuses_duplicates, return_charges_max: "0.07" });
const railOf = (on: On, refusesDuplicates = true) =>
  testRail(settingsOf(refusesDuplicates), { ...on, now: () => now });
const achOf = (on: On) =>
  testRail(testSettings("nacha", { refuses_duplicates: true }), { ...on, now: () => now });

async function submitAll(count: number): Promise<string[]> {
  const { rail } = railOf({ store, server: bank.server });
  const keys = Array.from({ length: count }, freshKey);
  for (const key of keys) await rail.submit(key, swiftTransfer);
  return keys;
}

/** Runs what is alive until nothing is open, with some minutes between two runs. */
async function play(run: () => Promise<unknown>, rounds = 12): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await run().catch(() => undefined);
    now = new Date(now.getTime() + 90_000);
  }
}

/** How often each payout stands in a file that ever had its own name at the bank. */
function timesSent(keys: readonly string[]): number[] {
  // A bank that refuses duplicates has each file once, whatever comes.
  const files = new Map(
    bank.sent().map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
  );
  return keys.map((key) => {
    const reference = `<EndToEndId>${key.slice(3).toUpperCase()}</EndToEndId>`;
    return [...files.values()].filter((text) => text.includes(reference)).length;
  });
}

const kills = Array.from({ length: 22 }, (_each, at) => at + 1).flatMap((at) => [
  { at, when: "before" } as const,
  { at, when: "after" } as const,
]);

describe("payments to a bank, of a process that is killed", () => {
  it("are in one file each, wherever it was killed, and every file that was sent is known", async () => {
    let fired = 0;
    for (const killed of kills) {
      await begin();
      const keys = await submitAll(3);
      now = wednesday("15:46");
      const first = mortal(killed);
      const one = railOf(first).dispatcher;
      const other = railOf({ store, server: bank.server }).dispatcher;
      await play(() => (first.isDead() ? other.run() : one.run()));
      if (first.isDead()) fired += 1;
      expect([killed, timesSent(keys)]).toEqual([killed, [1, 1, 1]]);
      expect(await store.files.countDocuments({ open: { $exists: true } })).toBe(0);
      const filed = await store.payments.find({ block: { $exists: true } }).toArray();
      expect(filed.map(({ _id }) => _id).toSorted()).toEqual(keys.toSorted());
    }
    expect(fired).toBeGreaterThan(15);
  });

  it("by ACH are in one file each and known by their traces, and what does not fit fails", async () => {
    let fired = 0;
    for (const killed of kills) {
      await begin();
      const { rail } = achOf({ store, server: bank.server });
      const keys = [freshKey(), freshKey(), freshKey()];
      for (const key of keys.slice(1)) await rail.submit(key, instruction);
      await rail.submit(keys[0] ?? "", { ...instruction, routingCodeValue: "021000022" });
      now = wednesday("16:46");
      const first = mortal(killed);
      const one = achOf(first).dispatcher;
      const other = achOf({ store, server: bank.server }).dispatcher;
      await play(() => (first.isDead() ? other.run() : one.run()), 8);
      if (first.isDead()) fired += 1;
      const files = new Map(bank.sent().map(({ name, bytes }) => [name, bytes]));
      const entries = [...files.values()]
        .map((bytes) => readAch(bytes))
        .flatMap((file) => (isRefused(file) ? [] : file.batches))
        .flatMap((batch) => batch.entries);
      const stored = await store.payments.find({ trace: { $exists: true } }).toArray();
      const ends = (list: readonly string[]) => list.map((each) => each.slice(-15)).toSorted();
      expect([killed, ends(entries.map(({ receiverId }) => receiverId))]).toEqual([
        killed,
        ends(keys.slice(1)),
      ]);
      expect(entries.map(({ trace }) => trace).toSorted()).toEqual(
        stored.map(({ trace }) => trace ?? "").toSorted(),
      );
      expect((await rail.query(keys[0] ?? "")).status.kind).toBe("rejected");
    }
    expect(fired).toBeGreaterThan(15);
  });

  it("that fit no file fail, wherever it was killed", async () => {
    for (const killed of kills.slice(0, 14)) {
      await begin();
      const { rail } = railOf({ store, server: bank.server });
      const key = freshKey();
      await rail.submit(key, { ...swiftTransfer, routingCodeValue: "DEUTDE" });
      now = wednesday("15:46");
      const first = mortal(killed);
      const one = railOf(first).dispatcher;
      const other = railOf({ store, server: bank.server }).dispatcher;
      await play(() => (first.isDead() ? other.run() : one.run()), 4);
      expect([killed, (await rail.query(key)).status.kind]).toEqual([killed, "rejected"]);
      expect(await store.files.countDocuments({ open: { $exists: true } })).toBe(0);
    }
  });

  it("go no second time to a bank that takes duplicates: an operator is asked", async () => {
    let asked = 0;
    for (const killed of kills) {
      await begin();
      const keys = await submitAll(2);
      now = wednesday("15:46");
      const first = mortal(killed);
      const one = railOf(first, false).dispatcher;
      const other = railOf({ store, server: bank.server }, false).dispatcher;
      await play(async () => {
        if (!first.isDead()) return one.run();
        // The bank has taken away what it got by then.
        bank.takeAway();
        return other.run();
      });
      const undecided = await store.files.countDocuments({ state: "undecided" });
      asked += undecided;
      const isSent = bank.sent().length === 1;
      expect([killed, bank.sent().length <= 1]).toEqual([killed, true]);
      expect([killed, isSent || undecided === 1]).toEqual([killed, true]);
      if (isSent) expect(timesSent(keys)).toEqual([1, 1]);
      expect(await store.findings.countDocuments({ kind: "undecided" })).toBe(undecided);
    }
    // Around the rename alone, before and after it.
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(4);
  });

  it("learn the same from the bank's files, wherever it was killed", async () => {
    let fired = 0;
    for (const killed of kills) {
      await begin();
      const keys = await submitAll(3);
      now = wednesday("15:46");
      const other = railOf({ store, server: bank.server });
      await other.dispatcher.run();
      const [sent] = bank.sent();
      const fates = ["settled", "rejected", "returned-short"] as const;
      const answers = answersOf(sent?.bytes ?? new Uint8Array(), fates, false);
      bank.put("status.xml", answers.statusReport);
      bank.put("statement.xml", answers.statement);
      const first = mortal(killed);
      const one = railOf(first).dispatcher;
      await play(() => (first.isDead() ? other.dispatcher.run() : one.run()), 8);
      if (first.isDead()) fired += 1;
      const kinds = await Promise.all(
        keys.map(async (key) => (await other.rail.query(key)).status.kind),
      );
      expect([killed, kinds]).toEqual([killed, ["settled", "rejected", "returned"]]);
      expect(await store.findings.countDocuments()).toBe(0);
      expect(await store.received.countDocuments({ state: "taken" })).toBe(2);
    }
    expect(fired).toBeGreaterThan(10);
  });

  it("are in one file each where several processes work at the same time", async () => {
    const keys = await submitAll(20);
    now = wednesday("15:46");
    const processes = [1, 2, 3].map(() => railOf({ store, server: bank.server }).dispatcher);
    await play(() => Promise.allSettled(processes.map((each) => each.run())));
    expect(timesSent(keys)).toEqual(keys.map(() => 1));
  });

  it("are not sent by a process that stood still while another one sent them", async () => {
    const keys = await submitAll(2);
    now = wednesday("15:46");
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = bank.serverFor(async (act) => {
      reached.resolve();
      await held.promise;
      return act();
    });
    const stalled = railOf({ store, server: slow }, false).dispatcher.run();
    await reached.promise;
    const other = railOf({ store, server: bank.server }, false).dispatcher;
    await play(() => other.run());
    bank.takeAway();
    held.resolve();
    await stalled.catch(() => undefined);
    expect(bank.sent()).toHaveLength(1);
    expect(timesSent(keys)).toEqual([1, 1]);
  });

  it("are taken back or in a file, never both, whoever is first", async () => {
    for (let round = 0; round < 20; round += 1) {
      await begin();
      const keys = await submitAll(4);
      now = wednesday("15:46");
      const { rail, dispatcher } = railOf({ store, server: bank.server });
      const [, ...withdrawn] = await Promise.all([
        dispatcher.run(),
        ...keys.map((key) => rail.withdraw?.(key)),
      ]);
      await play(() => dispatcher.run(), 2);
      expect(timesSent(keys)).toEqual(withdrawn.map((isBack) => (isBack ? 0 : 1)));
    }
  });
});
