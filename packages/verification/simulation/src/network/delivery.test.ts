import { setImmediate } from "node:timers/promises";
import { clientGuarantees, isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { ProcessInstance } from "../scheduler/host.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { Command } from "../store/collection.ts";
import { createMemoryDatabase, type Guarantees } from "../store/memory-database.ts";
import { databaseLink } from "./database-link.ts";

let scheduler: Scheduler;

beforeEach(() => {
  scheduler = new Scheduler(1, 0);
});

function connected(guarantees: Guarantees = clientGuarantees) {
  const database = createMemoryDatabase(() => scheduler.now(), undefined, guarantees);
  const instance = new ProcessInstance(scheduler, "payout-1", () => 0);
  const link = databaseLink(instance, database, {});
  return { database, link, rows: link.db.collection<{ _id: string }>("rows") };
}

const insertA: Command = {
  ...{ collection: "rows", name: "insertOne", isWrite: true, isRepeatable: true },
  ...{ filter: undefined, sent: [] },
};
const nothing = () => undefined;

type Connected = ReturnType<typeof connected>;

/** Runs the simulation for 20 s. Returns the outcome and the virtual time that it took. */
async function outcomeOf(work: Promise<unknown>) {
  const outcome: { value?: unknown; error?: unknown; ms?: number } = {};
  const ended = () => {
    outcome.ms = scheduler.nowMs();
  };
  work
    .then(
      (value) => Object.assign(outcome, { value }),
      (error: unknown) => Object.assign(outcome, { error }),
    )
    .finally(ended);
  // A grouped write is sent after this turn of the event loop.
  await setImmediate();
  await scheduler.run(() => false, scheduler.nowMs() + 20_000, 1_000);
  return outcome;
}

function lose({ database }: Connected, electionMs: number, isolatedMs: number): void {
  database.set.failOver({ isPlanned: false, electionMs, isolatedMs, stays: () => true });
}

describe("on a primary without its peers", () => {
  const writes: readonly [what: string, write: (of: Connected) => Promise<unknown>][] = [
    ["grouped write", ({ rows }) => rows.insertOne({ _id: "a" })],
    ["bulk insert", ({ rows }) => rows.insertMany([{ _id: "a" }])],
    [
      "insert into several collections",
      ({ link }) => link.bulkInsert([{ collection: "rows", documents: [{ _id: "a" }] }]),
    ],
    [
      "single write",
      ({ rows }) => rows.findOneAndUpdate({ _id: "a" }, { $set: { b: 1 } }, { upsert: true }),
    ],
  ];

  it.each(writes)("the outcome of a %s is unknown after 5 s", async (_what, write) => {
    const of = connected();
    lose(of, 6_000, 12_000);
    const { error, ms } = await outcomeOf(write(of));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(ms).toBeCloseTo(5_000, -2);
    expect(of.database.documents("rows")).toEqual([]);
  });

  it("a write without a majority returns at once, and is lost", async () => {
    const of = connected({ ...clientGuarantees, writeConcern: { w: 1 } });
    lose(of, 6_000, 12_000);
    const { value, ms } = await outcomeOf(of.rows.insertOne({ _id: "a" }));
    expect(value).toMatchObject({ insertedId: "a" });
    expect(ms).toBeLessThan(10);
    expect(of.database.documents("rows")).toEqual([]);
  });

  it("a write fails when the primary steps down", async () => {
    const of = connected();
    lose(of, 0, 1_000);
    const { error, ms } = await outcomeOf(of.rows.insertOne({ _id: "a" }));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(ms).toBeCloseTo(1_000, -2);
  });

  it("a read lacks what the new primary has, and its watch fails", async () => {
    const of = connected();
    const before = of.link.watchPrimary();
    lose(of, 0, 60_000);
    await of.database.direct(
      insertA,
      [{ run: (tables) => tables("rows").insert({ _id: "a" }) }],
      nothing,
    );
    expect(await outcomeOf(of.rows.findOne({ _id: "a" }))).toMatchObject({ value: null });
    const during = of.link.watchPrimary();
    const { error } = await outcomeOf(during());
    expect(isDatabaseUnavailable(error)).toBe(true);
    of.database.set.heal();
    for (const prove of [before, during]) {
      expect(isDatabaseUnavailable((await outcomeOf(prove())).error)).toBe(true);
    }
    expect((await outcomeOf(of.link.watchPrimary()())).error).toBeUndefined();
  });
});

it("an answer is lost with its primary, though the write survives", async () => {
  const of = connected();
  const { set } = of.database;
  const write = of.rows.findOneAndUpdate({ _id: "a" }, { $set: { b: 1 } }, { upsert: true });
  await scheduler.run(() => of.database.changes() > 0, 20_000, 1_000);
  set.failOver({ isPlanned: true, electionMs: 0, isolatedMs: 0, stays: () => false });
  const { error } = await outcomeOf(write);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(of.database.documents("rows")).toEqual([{ _id: "a", b: 1 }]);
});

describe("without a primary", () => {
  it("a command waits for the election", async () => {
    const of = connected();
    lose(of, 3_000, 0);
    const { ms } = await outcomeOf(of.rows.insertOne({ _id: "a" }));
    expect(ms).toBeCloseTo(3_000, -2);
    expect(of.database.documents("rows")).toEqual([{ _id: "a" }]);
  });

  it("a command fails after 4 s, and is never run", async () => {
    const of = connected();
    lose(of, 6_000, 0);
    const { error, ms } = await outcomeOf(of.rows.insertOne({ _id: "a" }));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(ms).toBe(4_000);
    expect(of.database.documents("rows")).toEqual([]);
  });
});
