import { openHere } from "@disburse/bank-files/reading/opened-file.ts";
import { countWaiting } from "@disburse/bank-rail/incoming/silence.ts";
import { achAnswers } from "@disburse/bank-rail/nacha/test-bank.ts";
import { testRail, testSettings, wednesday } from "@disburse/bank-rail/test-rail.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { BankFindingResolution } from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";
import { BankBench, bytesOf, newYork } from "./test-bench.ts";

let platform: TestPlatform;
let bench: BankBench;

beforeAll(async () => {
  platform = await startTestPlatform();
  bench = new BankBench(platform);
});
afterAll(() => platform.stop());
beforeEach(() => bench.begin());

/**
 * The payment settles on Wednesday and Thursday is a holiday, so the window for returns is Friday
 * and Monday.
 */
const windowIsOver = newYork("2026-12-01T09:00");
const kindOf = async (key: string) => (await bench.openAch().rail.query(key)).status.kind;
const open = () => bench.findings();
const none = { unread_file: 0, unmatched_return: 0, balance: 0, server: 0 };
const waiting = () => countWaiting(bench.store, "bank-ach", "2026-11-25");

describe("silence settles a payment only", () => {
  it("after the folder was listed with every file in it read", async () => {
    const { one, key } = await bench.sentByAch();
    bench.bank.knobs.isAway = true;
    bench.now = windowIsOver;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    bench.now = newYork("2026-12-03T09:00");
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ ...none, server: 1 });
    bench.bank.knobs.isAway = false;
    bench.now = new Date(bench.now.getTime() + 31_000);
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
    expect(await waiting()).toEqual(none);
  });

  it("of a poll after the window: an earlier one proves nothing", async () => {
    const { one, key } = await bench.sentByAch();
    bench.now = newYork("2026-11-30T23:59");
    await one.dispatcher.run();
    bench.bank.knobs.isAway = true;
    bench.now = windowIsOver;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kindOf(key)).toBe("accepted");
  });

  it("where no file still grows: it may be the return", async () => {
    const { one, key, bytes } = await bench.sentByAch();
    bench.now = windowIsOver;
    bench.bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });

  it.each([
    ["cannot be read", bytesOf("101 garbage in the first record\nthat ends here")],
    ["is of no known format", bytesOf("no file of ours")],
  ])("where no file since it was filed %s", async (_what, content) => {
    const { one, key } = await bench.sentByAch();
    bench.bank.put("returns.ach", content);
    bench.now = newYork("2026-11-27T09:00");
    await one.dispatcher.run();
    await one.dispatcher.run();
    bench.now = windowIsOver;
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ ...none, unread_file: 1 });
    for (const { _id } of await open()) {
      await bench.handle(_id, { resolution: BankFindingResolution.NOTHING_OF_OURS });
    }
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
  });

  it("where operators have no file read again meanwhile", async () => {
    const { one, key } = await bench.sentByAch();
    bench.now = newYork("2026-11-27T09:00");
    await bench.take(one, "returns.ach", "no file of ours");
    const [finding] = await open();
    const { READ_AGAIN: resolution } = BankFindingResolution;
    // Operators have the file read again, and its finding ends, after the rail saw no open file.
    const received = intercepted(bench.store.received, ["findOne"], async (proceed) => {
      const found = await proceed();
      await bench.handle(finding?._id ?? "", { resolution }, "again");
      return found;
    });
    const other = testRail(testSettings("nacha"), {
      store: { ...bench.store, received },
      server: bench.bank.server,
      now: () => bench.now,
    });
    bench.now = windowIsOver;
    await other.dispatcher.run();
    expect(await open()).toEqual([]);
    expect(await kindOf(key)).toBe("accepted");
  });

  it("where no file is too large to be fetched", async () => {
    const { one, key } = await bench.sentByAch();
    bench.now = windowIsOver;
    bench.bank.put("huge.ach", new Uint8Array(64 * 2 ** 20 + 1));
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([{ kind: "unreadable", holds: true, file: "huge.ach" }]);
    expect(await kindOf(key)).toBe("accepted");
    // The same file gives each rail its own finding.
    const other = bench.openAch({ rail: "bank-ach-2" });
    await other.dispatcher.run();
    await other.dispatcher.run();
    expect((await open()).map(({ rail }) => rail).toSorted()).toEqual(["bank-ach", "bank-ach-2"]);
  });

  it("after the last poll fetched every file, not an earlier one", async () => {
    const { key, bytes } = await bench.sentByAch();
    let isFirst = true;
    const one = bench.openAch({
      open: (...given) => {
        if (!isFirst) return openHere(...given);
        isFirst = false;
        throw new Error("the database is away");
      },
    });
    bench.now = windowIsOver;
    bench.bank.put("change.ach", achAnswers(bytes, [{ code: "C01", corrected: "1" }]));
    await one.dispatcher.run();
    // All files are fetched and not yet read.
    await one.dispatcher.run();
    bench.bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    bench.now = new Date(bench.now.getTime() + 61_000);
    // All fetched files are read. The return is listed and not yet fetched.
    await one.dispatcher.run();
    expect(await bench.store.received.countDocuments({ open: "bank-ach" })).toBe(0);
    expect(await kindOf(key)).toBe("accepted");
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("returned");
  });

  it("where no listed file went away before it was fetched", async () => {
    const { one, key, bytes } = await bench.sentByAch();
    bench.now = windowIsOver;
    bench.bank.put("returns.ach", achAnswers(bytes, [{ code: "R03" }]));
    await one.dispatcher.run();
    bench.bank.rename("returns.ach");
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([
      {
        kind: "unreadable",
        what: "the file disappeared from the bank's server before it was fetched",
        file: "returns.ach",
      },
    ]);
    expect(await kindOf(key)).toBe("accepted");
  });

  it.each([".returns.ach.part", "returns.tmp"])(
    "whatever name its file had first: %s",
    async (name) => {
      const { one, key, bytes } = await bench.sentByAch();
      bench.bank.put(name, achAnswers(bytes, [{ code: "R03" }]));
      await one.dispatcher.run();
      bench.bank.rename(name, "returns.ach");
      await one.dispatcher.run();
      await one.dispatcher.run();
      expect(await open()).toEqual([]);
      expect(await kindOf(key)).toBe("returned");
    },
  );

  it("where a finding is older than the payment, or of another rail", async () => {
    const one = bench.openAch();
    bench.bank.put("returns.ach", bytesOf("no file of ours"));
    bench.now = wednesday("08:00");
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toHaveLength(1);
    const { key } = await bench.sentByAch();
    await bench.store.findings.insertOne({
      _id: "of another rail",
      schema_version: 1,
      rail: "bank-other",
      kind: "unreadable",
      what: "is none",
      holds: true,
      open: true,
      created_at: windowIsOver,
    });
    bench.now = windowIsOver;
    await one.dispatcher.run();
    expect(await kindOf(key)).toBe("settled");
  });

  it("where no return has its trace number under another company", async () => {
    const { one, key, bytes } = await bench.sentByAch();
    const other = await bench.sentByAch();
    const text = new TextDecoder().decode(achAnswers(bytes, [{ code: "R03" }]));
    bench.bank.put("returns.ach", bytesOf(text.replaceAll("1234567890", "9999999999")));
    bench.now = windowIsOver;
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([
      { kind: "unmatched", what: "another-entry", payout_id: key, holds: true },
    ]);
    // Another payment does not wait for it.
    expect(await kindOf(other.key)).toBe("settled");
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ ...none, unmatched_return: 1 });
  });

  it("where no return leads to no payment", async () => {
    const { one, key, bytes } = await bench.sentByAch();
    const text = new TextDecoder().decode(achAnswers(bytes, [{ code: "R03" }]));
    const { trace = "" } = (await bench.store.payments.findOne({ _id: key })) ?? {};
    bench.bank.put("returns.ach", bytesOf(text.replaceAll(trace, "121042889999999")));
    bench.now = windowIsOver;
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await open()).toMatchObject([{ kind: "unmatched", what: "unknown", holds: true }]);
    expect(await kindOf(key)).toBe("accepted");
    expect(await waiting()).toEqual({ ...none, unmatched_return: 1 });
    // A payment waits first for a file that may hide its outcome, then for a statement that names
    // it.
    await bench.store.findings.updateMany({}, { $set: { kind: "balance" } });
    expect(await waiting()).toEqual({ ...none, balance: 1 });
    await bench.store.findings.updateMany({}, { $set: { kind: "set_aside", payout_id: key } });
    expect(await waiting()).toEqual({ ...none, unread_file: 1 });
  });
});

describe("a rejection without proof", () => {
  /** Creates a payment that its bank rejected as a duplicate. */
  async function rejected(changes: object = {}) {
    const { one, key, statusReport } = await bench.sentByIso(["duplicate"], changes);
    await bench.take(one, "status.xml", statusReport);
    return { one, key };
  }

  /** Adds daily statements with opening and closing balances. */
  async function statements(days: readonly (readonly [string, number, number])[]) {
    await bench.store.balances.insertMany(
      days.map(([each, opening, closing]) => ({
        _id: `bank-usd ${each}`,
        schema_version: 1,
        rail: "bank-usd",
        day: each,
        currency: "USD",
        opening_minor: toDecimal128(BigInt(opening)),
        closing_minor: toDecimal128(BigInt(closing)),
        is_balanced: true,
        received: "x",
        at: bench.now,
      })),
    );
  }

  const run = [
    ["2026-11-25", 100, 90],
    ["2026-11-27", 90, 90],
    ["2026-11-30", 90, 50],
  ] as const;
  const kind = async (key: string) => (await bench.openIso().rail.query(key)).status.kind;

  it("is proven by an unbroken, balanced run of statements without a debit", async () => {
    const { one, key } = await rejected();
    expect(await kind(key)).toBe("unknown");
    bench.now = newYork("2026-12-01T08:00");
    await statements(run.slice(0, 2));
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
    await statements(run.slice(2));
    bench.bank.knobs.isAway = true;
    await expect(one.dispatcher.run()).rejects.toThrow("away");
    expect(await kind(key)).toBe("unknown");
    bench.bank.knobs.isAway = false;
    bench.now = newYork("2026-12-01T09:00");
    await one.dispatcher.run();
    expect(await kind(key)).toBe("rejected");
  });

  it.each<[string, Parameters<typeof statements>[0], object]>([
    ["the profile names no days", run, { unpaid_after_bank_days: undefined }],
    ["a day is missing", [run[0], run[2]], {}],
    ["a day does not follow on the one before", [run[0], ["2026-11-27", 91, 90], run[2]], {}],
  ])("is not proven where %s", async (_what, days, changes) => {
    const { one, key } = await rejected(changes);
    bench.now = newYork("2026-12-01T08:00");
    await statements(days);
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
  });

  it("is not proven where a day is not balanced, or a file was not read", async () => {
    const { one, key } = await rejected();
    bench.now = newYork("2026-12-01T08:00");
    await statements(run);
    await bench.store.balances.updateOne({ day: "2026-11-27" }, { $set: { is_balanced: false } });
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
    await bench.store.balances.updateOne({ day: "2026-11-27" }, { $set: { is_balanced: true } });
    bench.bank.put("other.xml", bytesOf("no file of ours"));
    await one.dispatcher.run();
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await kind(key)).toBe("unknown");
  });
});
