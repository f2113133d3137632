import { readAch } from "@disburse/bank-files/nacha/read.ts";
import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { freshKey, instruction } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { indexes } from "./indexes.ts";
import { createCrashBench, kills } from "./test-crashes.ts";
import { swiftTransfer, wednesday } from "./test-rail.ts";

let database: Database;
let bench: ReturnType<typeof createCrashBench>;

beforeAll(async () => {
  database = await migratedDatabase("bank_crashes", [baseline(1, indexes)]);
  bench = createCrashBench(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => bench.begin());

describe("matrix: payments to a bank, of a process that is killed", () => {
  it("are in one file each, wherever it was killed, and every file that was sent is known", async () => {
    let fired = 0;
    for (const killed of kills) {
      await bench.begin();
      const keys = await bench.submitAll(3);
      bench.clock.set(wednesday("15:46"));
      const first = bench.killable(killed);
      const one = bench.railOf(first).dispatcher;
      const other = bench.railOf(bench.alive()).dispatcher;
      await bench.play(() => (first.isDead() ? other.run() : one.run()));
      if (first.isDead()) fired += 1;
      expect([killed, bench.timesSent(keys)]).toEqual([killed, [1, 1, 1]]);
      expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
      const filed = await bench.store.payments.find({ block: { $exists: true } }).toArray();
      expect(filed.map(({ _id }) => _id).toSorted()).toEqual(keys.toSorted());
    }
    expect(fired).toBeGreaterThan(15);
  });

  it("by ACH are in one file each and known by their traces, and what does not fit fails", async () => {
    let fired = 0;
    for (const killed of kills) {
      await bench.begin();
      const { rail } = bench.achOf(bench.alive());
      const keys = [freshKey(), freshKey(), freshKey()];
      for (const key of keys.slice(1)) await rail.submit(key, instruction);
      await rail.submit(keys[0] ?? "", { ...instruction, routingCodeValue: "021000022" });
      bench.clock.set(wednesday("16:46"));
      const first = bench.killable(killed);
      const one = bench.achOf(first).dispatcher;
      const other = bench.achOf(bench.alive()).dispatcher;
      await bench.play(() => (first.isDead() ? other.run() : one.run()), 8);
      if (first.isDead()) fired += 1;
      const files = new Map(bench.bank.sent().map(({ name, bytes }) => [name, bytes]));
      const entries = [...files.values()]
        .map((bytes) => readAch(bytes))
        .flatMap((file) => (isRefused(file) ? [] : file.batches))
        .flatMap((batch) => batch.entries);
      const stored = await bench.store.payments.find({ trace: { $exists: true } }).toArray();
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
      await bench.begin();
      const { rail } = bench.railOf(bench.alive());
      const key = freshKey();
      await rail.submit(key, { ...swiftTransfer, routingCodeValue: "DEUTDE" });
      bench.clock.set(wednesday("15:46"));
      const first = bench.killable(killed);
      const one = bench.railOf(first).dispatcher;
      const other = bench.railOf(bench.alive()).dispatcher;
      await bench.play(() => (first.isDead() ? other.run() : one.run()), 4);
      expect([killed, (await rail.query(key)).status.kind]).toEqual([killed, "rejected"]);
      expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
    }
  });

  it("are not sent again to a bank that accepts duplicates: an operator decides", async () => {
    let asked = 0;
    for (const killed of kills) {
      await bench.begin();
      const keys = await bench.submitAll(2);
      bench.clock.set(wednesday("15:46"));
      const first = bench.killable(killed);
      const one = bench.railOf(first, false).dispatcher;
      const other = bench.railOf(bench.alive(), false).dispatcher;
      await bench.play(async () => {
        if (!first.isDead()) return one.run();
        // The bank has moved the files that it got by then.
        bench.bank.takeAway();
        return other.run();
      });
      const undecided = await bench.store.files.countDocuments({ state: "undecided" });
      asked += undecided;
      const isSent = bench.bank.sent().length === 1;
      expect([killed, bench.bank.sent().length <= 1]).toEqual([killed, true]);
      expect([killed, isSent || undecided === 1]).toEqual([killed, true]);
      if (isSent) expect(bench.timesSent(keys)).toEqual([1, 1]);
      expect(await bench.store.findings.countDocuments({ kind: "undecided" })).toBe(undecided);
    }
    // Only around the rename, before and after it.
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(4);
  });

  it("learn the same from the bank's files, wherever it was killed", async () => {
    let fired = 0;
    for (const killed of kills) {
      await bench.begin();
      const keys = await bench.submitAll(3);
      bench.clock.set(wednesday("15:46"));
      const other = bench.railOf(bench.alive());
      await other.dispatcher.run();
      const [sent] = bench.bank.sent();
      const outcomes = ["settled", "rejected", "returned-short"] as const;
      const answers = answersOf(sent?.bytes ?? new Uint8Array(), outcomes, false);
      bench.bank.put("status.xml", answers.statusReport);
      bench.bank.put("statement.xml", answers.statement);
      const first = bench.killable(killed);
      const one = bench.railOf(first).dispatcher;
      await bench.play(() => (first.isDead() ? other.dispatcher.run() : one.run()), 8);
      if (first.isDead()) fired += 1;
      const kinds = await Promise.all(
        keys.map(async (key) => (await other.rail.query(key)).status.kind),
      );
      expect([killed, kinds]).toEqual([killed, ["settled", "rejected", "returned"]]);
      expect(await bench.store.findings.countDocuments()).toBe(0);
      expect(await bench.store.received.countDocuments({ state: "taken" })).toBe(2);
    }
    expect(fired).toBeGreaterThan(10);
  });
});
