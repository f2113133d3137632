import { readAch } from "@disburse/bank-files/nacha/read.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { freshKey, instruction } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDispatcher } from "./dispatcher.ts";
import { indexes } from "./indexes.ts";
import { withdrawPayment } from "./payments.ts";
import { createCrashBench, kills } from "./test-crashes.ts";
import { swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { nachaSettings } from "./test-settings.ts";
import { throwingDispatcher } from "./test-writers.ts";

let database: Database;
let bench: ReturnType<typeof createCrashBench>;

beforeAll(async () => {
  database = await migratedDatabase("bank_unwritten", [baseline(1, indexes)]);
  bench = createCrashBench(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(() => bench.begin());

const isoRail = () => bench.railOf(bench.alive());
const achRail = () => bench.achOf(bench.alive());

/** Submits ACH payments. Their writer needs no thread, so a test may write many files. */
async function submitAll(count: number): Promise<string[]> {
  const { rail } = achRail();
  const keys = Array.from({ length: count }, freshKey);
  for (const key of keys) await rail.submit(key, instruction);
  return keys;
}

/** Returns the sent files. Each agrees with its counts, sums and hashes. */
const sentFiles = () =>
  bench.bank.sent().map(({ bytes }) => {
    const read = readAch(bytes);
    if (isRefused(read)) throw new Error(read.detail);
    expect(read.unread).toEqual([]);
    return read;
  });

/** Counts how often each payment was sent. The bank refuses a file that it already has. */
function timesSent(keys: readonly string[]): number[] {
  const files = new Map(bench.bank.sent().map(({ name }, at) => [name, sentFiles()[at]]));
  const entries = [...files.values()].flatMap((file) => file?.batches ?? []);
  const ids = entries.flatMap((batch) => batch.entries).map(({ receiverId }) => receiverId);
  return keys.map((key) => ids.filter((id) => id === key.toUpperCase().slice(-15)).length);
}

const statusOf = async (key: string) => (await isoRail().rail.query(key)).status;
const kindsOf = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await statusOf(key)).kind));
const filesByState = async () =>
  (await bench.store.files.find().sort({ created_at: 1, _id: 1 }).toArray())
    .map(({ state }) => state)
    .toSorted();

/** Expects that nothing is open, and that each payment is in the file that it names. */
async function expectAtRest(): Promise<void> {
  expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
  const claimed = { state: { $in: ["waiting", "filed"] }, sealed: { $exists: true } } as const;
  expect(await bench.store.payments.countDocuments(claimed)).toBe(0);
  const files = await bench.store.files.find().toArray();
  const members = new Map(files.map(({ _id, members: all = [] }) => [_id, all]));
  for (const { _id, file = "" } of await bench.store.payments.find({ state: "filed" }).toArray()) {
    expect(members.get(file)?.map(({ id }) => id)).toContain(_id);
  }
}

describe("a file whose writer throws", () => {
  it.each([
    ["one payment", [3]],
    ["two payments", [0, 6]],
    ["two payments beside each other", [2, 3]],
    ["its only payment", [0]],
  ])("is void, then halved: for %s", async (_name, bad) => {
    const count = bad.length === 1 && bad[0] === 0 ? 1 : 7;
    const keys = await submitAll(count);
    const badKeys = bad.map((at) => keys[at] ?? "");
    const goodKeys = keys.filter((key) => !badKeys.includes(key));
    bench.clock.set(wednesday("16:46"));
    const dispatcher = throwingDispatcher(achRail(), { keys: badKeys });
    await dispatcher.run();
    expect(timesSent(goodKeys)).toEqual(goodKeys.map(() => 1));
    expect(timesSent(badKeys)).toEqual(badKeys.map(() => 0));
    for (const key of badKeys) {
      expect(await statusOf(key)).toEqual({ kind: "rejected", failure: { code: "UNSPECIFIED" } });
    }
    expect(await kindsOf(goodKeys)).toEqual(goodKeys.map(() => "accepted"));
    expect(await filesByState()).toEqual(
      goodKeys.length === 0 ? ["void", "void"] : ["sent", "void"],
    );
    const findings = await bench.store.findings.find().toArray();
    expect(findings.every(({ kind, open }) => kind === "unwritten" && open === true)).toBe(true);
    expect(findings.map(({ payout_id: id = "" }) => id).toSorted()).toEqual(
      ["", ...badKeys].toSorted(),
    );
    expect(findings[0]?.what).toMatch(
      /^the file writer failed: RangeError at test-writers\.ts:\d+$/,
    );
    await expectAtRest();
  });

  it("gives its payments back before any is blamed: they go in the next file", async () => {
    const keys = await submitAll(3);
    bench.clock.set(wednesday("16:46"));
    const one = achRail();
    let thrown = 0;
    const write: typeof one.work.format.write = async (file, payments) => {
      thrown += 1;
      if (thrown === 1) throw new Error("once");
      return one.work.format.write(file, payments);
    };
    await createDispatcher({ ...one.work, format: { ...one.work.format, write } }).run();
    expect(timesSent(keys)).toEqual([1, 1, 1]);
    expect(await filesByState()).toEqual(["sent", "void"]);
    expect(await bench.store.findings.countDocuments({ kind: "unwritten" })).toBe(1);
    await expectAtRest();
  });

  it("goes in several files where a part of it can be written and no payment is at fault", async () => {
    const keys = await submitAll(7);
    bench.clock.set(wednesday("16:46"));
    await throwingDispatcher(achRail(), { over: 2 }).run();
    expect(timesSent(keys)).toEqual(keys.map(() => 1));
    expect(await kindsOf(keys)).toEqual(keys.map(() => "accepted"));
    await expectAtRest();
  });

  it("fails a payment whose stored data fits no file, and sends the others", async () => {
    const keys = await bench.submitAll(4);
    const [bad = "", ...good] = keys;
    await bench.store.payments.updateOne({ _id: bad }, { $set: { uetr: "no UUID" } });
    bench.clock.set(wednesday("15:46"));
    await isoRail().dispatcher.run();
    expect(bench.timesSent(keys)).toEqual([0, 1, 1, 1]);
    expect(await kindsOf(keys)).toEqual(["rejected", ...good.map(() => "accepted")]);
    expect(await bench.store.findings.findOne({ payout_id: bad })).toMatchObject({
      kind: "unwritten",
      what: "uetr: is not a UUID of version 4",
    });
    await expectAtRest();
  });

  it("is held, and fails no payment, where the writer throws for any payment", async () => {
    const keys = await submitAll(3);
    bench.clock.set(wednesday("16:46"));
    const one = achRail();
    const check = () => Promise.reject(new Error("broken"));
    const format = { ...one.work.format, check };
    const work = { ...one, work: { ...one.work, format } };
    const faulty = throwingDispatcher(work, { keys });
    await faulty.run();
    await faulty.run();
    expect(await kindsOf(keys)).toEqual(["accepted", "accepted", "accepted"]);
    expect(await filesByState()).toEqual(["claiming", "void"]);
    expect(bench.bank.sent()).toEqual([]);
    bench.clock.set(wednesday("16:47"));
    await one.dispatcher.run();
    expect(timesSent(keys)).toEqual([1, 1, 1]);
    await expectAtRest();
  });

  it.each([3, 110])(
    "is held, with a finding, where no part of %d payments can be written",
    async (count) => {
      const keys = await submitAll(count);
      bench.clock.set(wednesday("16:46"));
      await throwingDispatcher(achRail(), { keys }).run();
      expect(await bench.store.payments.countDocuments({ state: "rejected" })).toBe(0);
      const held = await bench.store.files.findOne({ state: "claiming" });
      expect(await bench.store.findings.findOne({ file: held?._id ?? "" })).toMatchObject({
        ...{ kind: "unwritten", open: true },
        what: expect.stringMatching(
          /^none of the file's payments can be written; the file writer failed/,
        ),
      });
      expect(held).toMatchObject({
        problems: [
          "none of the file's payments can be written",
          expect.stringMatching(/^the file writer failed: RangeError at test-writers\.ts:\d+$/),
        ],
      });
    },
  );

  it("does not withdraw a payment that returned to the queue during the call", async () => {
    const [key = ""] = await submitAll(1);
    const { payments } = bench.store;
    await payments.updateOne({ _id: key }, { $set: { state: "filed" } });
    // The file returns its payment to the queue between the two calls of the withdrawal.
    const between = intercepted(payments, ["findOne"], async (proceed) => {
      await payments.updateOne({ _id: key, state: "filed" }, { $set: { state: "waiting" } });
      return proceed();
    });
    const withdraw = () => withdrawPayment({ payments: between }, "bank", key, new Date());
    expect(await withdraw()).toBe(false);
    expect(await kindsOf([key])).toEqual(["accepted"]);
    expect(await withdraw()).toBe(true);
  });

  it("lets a payment be withdrawn that returned to the queue", async () => {
    const [key = "", other = ""] = await submitAll(2);
    bench.clock.set(wednesday("16:46"));
    const one = achRail();
    const write: typeof one.work.format.write = async () => {
      expect(await one.rail.withdraw?.(key)).toBe(false);
      throw new Error("always");
    };
    const begun = createDispatcher({
      ...one.work,
      format: { ...one.work.format, write },
      newMessageId: (now) => {
        if (ids > 0) throw new Error("killed");
        ids += 1;
        return one.work.newMessageId(now);
      },
    });
    let ids = 0;
    await begun.run().catch(() => undefined);
    expect(await one.rail.withdraw?.(key)).toBe(true);
    await one.dispatcher.run();
    expect(timesSent([key, other])).toEqual([0, 1]);
    await expectAtRest();
  });
});

describe("payments that a file has claimed and does not have", () => {
  it.each(["void", "sent"] as const)("return to the queue: the file is %s", async (state) => {
    const [first = "", late = ""] = await submitAll(2);
    bench.clock.set(wednesday("16:46"));
    await bench.store.payments.updateOne(
      { _id: late },
      { $set: { "plan.due_at": wednesday("16:50") } },
    );
    const one = achRail();
    if (state === "sent") await one.dispatcher.run();
    else await bench.store.files.insertOne({ ...blankFile, _id: "VOID1", asked: [late] });
    const [file] = await bench.store.files.find({ state }).toArray();
    // A process that stalled since its file requested the payment claims it now.
    await bench.store.payments.updateOne(
      { _id: late, state: "waiting" },
      { $set: { state: "filed", file: file?._id ?? "" } },
    );
    bench.clock.set(wednesday("16:51"));
    await one.dispatcher.run();
    expect(timesSent([first, late])).toEqual([1, 1]);
    await expectAtRest();
  });
});

const blankFile = {
  schema_version: 1,
  rail: "bank-ach",
  revision: 2,
  state: "void" as const,
  closes_at: wednesday("17:00"),
  created_at: wednesday("15:45"),
  updated_at: wednesday("15:45"),
};

describe("a process that is killed while its writer throws", () => {
  it("leaves each payment in one file or failed, wherever it was killed", async () => {
    let fired = 0;
    for (const killed of kills) {
      await bench.begin();
      const keys = await submitAll(3);
      const bad = keys.slice(1, 2);
      bench.clock.set(wednesday("16:46"));
      const first = bench.killable(killed);
      const one = throwingDispatcher(bench.achOf(first), { keys: bad });
      const other = throwingDispatcher(bench.achOf(bench.alive()), { keys: bad });
      await bench.play(() => (first.isDead() ? other.run() : one.run()), 6);
      if (first.isDead()) fired += 1;
      expect([killed, timesSent(keys)]).toEqual([killed, [1, 0, 1]]);
      expect([killed, (await statusOf(bad[0] ?? "")).kind]).toEqual([killed, "rejected"]);
      const findings = await bench.store.findings.find({ payout_id: { $exists: false } }).toArray();
      expect([killed, findings.length]).toEqual([killed, 1]);
      expect(await bench.store.findings.countDocuments({ payout_id: bad[0] ?? "" })).toBe(1);
      await expectAtRest();
    }
    expect(fired).toBeGreaterThan(20);
  });

  it("pays nothing twice beside processes whose writers throw now and then", async () => {
    const keys = await submitAll(12);
    const bad = [keys[2] ?? "", keys[9] ?? ""];
    bench.clock.set(wednesday("16:46"));
    const processes = [1, 2, 3].map(() =>
      throwingDispatcher(bench.achOf(bench.alive()), { keys: bad }),
    );
    await bench.play(() => Promise.allSettled(processes.map((each) => each.run())));
    expect(timesSent(keys)).toEqual(keys.map((key) => (bad.includes(key) ? 0 : 1)));
    await expectAtRest();
  });
});

describe("a format's limit", () => {
  const most = 9_999_999_999n;
  const balancedRail = () => {
    const balanced_by = { routing: "121042882", account: "555", account_type: "checking" };
    const settings = testSettings("nacha", { profile: { ...nachaSettings.profile, balanced_by } });
    return testRail(settings, { ...bench.alive(), now: bench.clock.now });
  };

  it("of a balancing entry begins another batch of the same file", async () => {
    const { rail, dispatcher } = balancedRail();
    for (const amount of [most, most, 1n]) {
      await rail.submit(freshKey(), { ...instruction, amount });
    }
    bench.clock.set(wednesday("16:46"));
    await dispatcher.run();
    const [file, ...others] = sentFiles();
    expect(others).toEqual([]);
    const sums = file?.batches.map(({ entries }) => entries.map(({ cents }) => cents));
    expect(sums).toEqual([
      [most, most],
      [most, most],
      [1n, 1n],
    ]);
    expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
  });

  it("of a file begins another file, and leaves nothing behind", async () => {
    const { rail, dispatcher } = balancedRail();
    // 100 of them add up to 99 cents less than 12 digits hold.
    const amounts = [...Array<bigint>(100).fill(most), 99n, 1n, most];
    for (const amount of amounts) await rail.submit(freshKey(), { ...instruction, amount });
    bench.clock.set(wednesday("16:46"));
    await dispatcher.run();
    const credits = sentFiles().map(({ batches }) =>
      batches.flatMap(({ entries }) => entries.filter(({ direction }) => direction === "credit")),
    );
    expect(credits.map(({ length }) => length)).toEqual([101, 2]);
    expect(credits[0]?.reduce((sum, { cents }) => sum + cents, 0n)).toBe(999_999_999_999n);
    expect(await bench.store.findings.countDocuments()).toBe(0);
    expect(await bench.store.files.countDocuments({ open: { $exists: true } })).toBe(0);
  });

  it("of an ISO 20022 file begins another file", async () => {
    const { rail, dispatcher } = isoRail();
    const large = { ...swiftTransfer, amount: 6n * 10n ** 17n };
    const keys = [freshKey(), freshKey(), freshKey()];
    await rail.submit(keys[0] ?? "", large);
    await rail.submit(keys[1] ?? "", large);
    await rail.submit(keys[2] ?? "", { ...swiftTransfer, amount: 10n ** 18n });
    bench.clock.set(wednesday("15:46"));
    await dispatcher.run();
    expect(bench.timesSent(keys)).toEqual([1, 1, 0]);
    expect(bench.bank.sent()).toHaveLength(2);
    expect(await bench.store.findings.countDocuments()).toBe(0);
    expect(await statusOf(keys[2] ?? "")).toEqual({
      kind: "rejected",
      failure: { code: "AMOUNT_NOT_ACCEPTED" },
    });
    await expectAtRest();
  });

  it("that is lowered while a file has requested more splits it", async () => {
    const keys = await submitAll(5);
    bench.clock.set(wednesday("16:46"));
    const one = achRail();
    const killed = createDispatcher({
      ...one.work,
      format: { ...one.work.format, write: () => Promise.reject(new Error("not yet")) },
      // The process dies after its file requested the payments.
      store: bench.killable({ at: 3, when: "before" }).store,
    });
    await killed.run().catch(() => undefined);
    expect(await filesByState()).toEqual(["claiming"]);
    const profile = { ...nachaSettings.profile, payments_max: 2 };
    const small = testRail(testSettings("nacha", { profile }), {
      ...bench.alive(),
      now: bench.clock.now,
    });
    await bench.play(() => small.dispatcher.run(), 3);
    expect(timesSent(keys)).toEqual(keys.map(() => 1));
    await expectAtRest();
  });
});
