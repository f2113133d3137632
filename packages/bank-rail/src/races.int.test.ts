import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { indexes } from "./indexes.ts";
import { createCrashBench, kills } from "./test-crashes.ts";
import { wednesday } from "./test-rail.ts";

let database: Database;
let bench: ReturnType<typeof createCrashBench>;

beforeAll(async () => {
  database = await migratedDatabase("bank_races", [baseline(1, indexes)]);
  bench = createCrashBench(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => bench.begin());

describe("payments to a bank, of processes beside each other", () => {
  it("are in one file each, killed before and after the rename and every write around it", async () => {
    let fired = 0;
    for (const killed of kills.slice(10, 28)) {
      await bench.begin();
      const keys = await bench.submitAll(1);
      bench.clock.set(wednesday("15:46"));
      const first = bench.killable(killed);
      const one = bench.railOf(first).dispatcher;
      const other = bench.railOf(bench.alive()).dispatcher;
      await bench.play(() => (first.isDead() ? other.run() : one.run()), 5);
      if (first.isDead()) fired += 1;
      expect([killed, bench.timesSent(keys)]).toEqual([killed, [1]]);
    }
    expect(fired).toBeGreaterThan(6);
  });

  it("are in one file each where several processes work at the same time", async () => {
    const keys = await bench.submitAll(20);
    bench.clock.set(wednesday("15:46"));
    const processes = [1, 2, 3].map(() => bench.railOf(bench.alive()).dispatcher);
    await bench.play(() => Promise.allSettled(processes.map((each) => each.run())));
    expect(bench.timesSent(keys)).toEqual(keys.map(() => 1));
  });

  it("are not sent by a process that stood still while another one sent them", async () => {
    const keys = await bench.submitAll(2);
    bench.clock.set(wednesday("15:46"));
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = bench.bank.serverFor(async (act) => {
      reached.resolve();
      await held.promise;
      return act();
    });
    const stalled = bench.railOf({ store: bench.store, server: slow }, false).dispatcher.run();
    await reached.promise;
    const other = bench.railOf(bench.alive(), false).dispatcher;
    await bench.play(() => other.run());
    bench.bank.takeAway();
    held.resolve();
    await stalled.catch(() => undefined);
    expect(bench.bank.sent()).toHaveLength(1);
    expect(bench.timesSent(keys)).toEqual([1, 1]);
  });

  it("are not sent by a process that stood still while another one writes them", async () => {
    const keys = await bench.submitAll(1);
    bench.clock.set(wednesday("15:46"));
    /** Returns a server that holds the first operation, before or after its effect. */
    const holding = (when: "before" | "after") => {
      const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const server = bench.bank.serverFor(async (act) => {
        const done = when === "after" ? await act() : undefined;
        reached.resolve();
        await held.promise;
        return when === "after" ? (done as Awaited<ReturnType<typeof act>>) : act();
      });
      const { dispatcher } = bench.railOf({ store: bench.store, server }, false);
      return { run: dispatcher.run(), reached: reached.promise, go: held.resolve };
    };
    const stalled = holding("after");
    await stalled.reached;
    const other = holding("before");
    await other.reached;
    stalled.go();
    await stalled.run.catch(() => undefined);
    // Its temporary file may be partly rewritten.
    expect(bench.bank.sent()).toEqual([]);
    other.go();
    await other.run;
    expect(bench.timesSent(keys)).toEqual([1]);
  });

  it("are released only after their file counts as sent, killed at any write of an answer", async () => {
    let fired = 0;
    for (const killed of kills) {
      await bench.begin();
      const [key = ""] = await bench.submitAll(1);
      bench.clock.set(wednesday("15:46"));
      const noReply = bench.bank.serverFor(async (act) => {
        const done = await act();
        if ((await bench.store.files.findOne({ state: "sending" })) !== null)
          throw new Error("no reply to the rename");
        return done;
      });
      const one = bench.railOf({ store: bench.store, server: noReply }, false).dispatcher;
      await one.run().catch(() => undefined);
      const [file] = bench.bank.sent();
      if (file === undefined) return expect.unreachable("not sent");
      bench.bank.takeAway();
      // Two polls of one process have to list a file before it is read.
      const alive = bench.railOf(bench.alive(), false).dispatcher;
      await bench.play(() => alive.run(), 2);
      expect(await bench.store.files.findOne({})).toMatchObject({ state: "undecided" });
      const { statusReport } = answersOf(file.bytes, ["rejected"], false);
      bench.bank.put("status.xml", statusReport);
      const dying = bench.killable(killed);
      const { dispatcher } = bench.railOf(dying, false);
      await bench.play(() => dispatcher.run(), 3);
      const stateOf = async () => ({
        payment: (await bench.store.payments.findOne({ _id: key }))?.state,
        file: (await bench.store.files.findOne({}))?.state,
      });
      const { payment, file: of } = await stateOf();
      expect([killed, payment === "rejected" && of !== "sent"]).toEqual([killed, false]);
      await bench.play(() => alive.run(), 3);
      expect(await stateOf()).toEqual({ payment: "rejected", file: "sent" });
      // It had no more operations.
      if (!dying.isDead()) break;
      fired += 1;
    }
    expect(fired).toBeGreaterThan(6);
  });

  it("are withdrawn or in a file, never both", async () => {
    for (let round = 0; round < 20; round += 1) {
      await bench.begin();
      const keys = await bench.submitAll(4);
      bench.clock.set(wednesday("15:46"));
      const { rail, dispatcher } = bench.railOf(bench.alive());
      const [, ...withdrawn] = await Promise.all([
        dispatcher.run(),
        ...keys.map((key) => rail.withdraw?.(key)),
      ]);
      await bench.play(() => dispatcher.run(), 2);
      expect(bench.timesSent(keys)).toEqual(withdrawn.map((isBack) => (isBack ? 0 : 1)));
      expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
    }
  });
});
