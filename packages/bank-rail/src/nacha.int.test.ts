import { readAch } from "@disburse/bank-files/nacha/read.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { freshKey, instruction, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BankStore, openBankStore } from "./documents.ts";
import { findingDetails } from "./incoming/findings.ts";
import { indexes } from "./indexes.ts";
import { type AchAnswer, achAnswers } from "./nacha/test-bank.ts";
import { sealer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";
import { nachaSettings } from "./test-settings.ts";

let database: Database;
let store: BankStore;
let now = wednesday("09:00");
let bank = createTestServer();

beforeAll(async () => {
  database = await migratedDatabase("bank_nacha", [baseline(1, indexes)]);
  store = openBankStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
  bank = createTestServer();
  now = wednesday("09:00");
});

const open = (changes: object = {}) =>
  testRail(testSettings("nacha", changes), { store, server: bank.server, now: () => now });

/** Sends the payments of the morning's window and returns the parsed file. */
async function send(one = open()) {
  now = wednesday("09:46");
  await one.dispatcher.run();
  const [file] = bank.sent().slice(-1);
  const read = readAch(file?.bytes ?? new Uint8Array());
  if (file === undefined || isRefused(read)) throw new Error("nothing was sent");
  return { bytes: file.bytes, read };
}

/** Has the rail take the bank's response to a file. */
async function answer(file: Uint8Array, answers: readonly (AchAnswer | undefined)[]) {
  bank.put(`returns-${answers.length}-${now.getTime()}.ach`, achAnswers(file, answers));
  const { dispatcher } = open();
  await dispatcher.run();
  await dispatcher.run();
}

const day = (text: string) => new Date(`${text}:00.000-05:00`);
const statusOf = async (key: string) => (await open().rail.query(key)).status;
const findings = () => store.findings.find().toArray();

describe("a rail by ACH", () => {
  keepsRailContract(() => {
    const one = open();
    return {
      rail: one.rail,
      settle: async () => {
        now = wednesday("09:46");
        await one.dispatcher.run();
        now = day("2026-12-01T09:00");
        await one.dispatcher.run();
      },
      paid: async (key) => {
        const end = key.slice(3).toUpperCase().slice(-15);
        return bank.sent().filter(({ bytes }) => new TextDecoder().decode(bytes).includes(end))
          .length;
      },
    };
  });

  it("pays persons and companies, into checking and savings, each with its trace", async () => {
    const { rail } = open();
    const keys = [freshKey(), freshKey()];
    await rail.submit(keys[0] ?? "", instruction);
    const company = { accountType: "Corporate", bankAccountType: "Business Savings" };
    const remittanceInformation = "Invoice 7";
    await rail.submit(keys[1] ?? "", { ...instruction, ...company, remittanceInformation });
    const { read } = await send();
    expect(read.unread).toEqual([]);
    expect(read.modifier).toBe("A");
    expect(read.batches.map(({ entryClass }) => entryClass)).toEqual(["PPD", "CCD"]);
    const entries = read.batches.flatMap((each) => each.entries);
    expect(entries.map(({ transactionCode }) => transactionCode)).toEqual(["22", "32"]);
    expect(entries[1]?.addenda).toEqual([{ kind: "information", text: "Invoice 7" }]);
    expect(read.batches[0]?.effectiveOn).toBe("2026-11-25");
    const stored = await store.payments.find().sort({ _id: 1 }).toArray();
    expect(stored.map(({ trace }) => trace)).toEqual(entries.map(({ trace }) => trace));
  });

  it("numbers the files of a day, and gives no trace number twice", async () => {
    const one = open({ profile: { ...nachaSettings.profile, payments_max: 1 } });
    for (const key of [freshKey(), freshKey()]) await one.rail.submit(key, instruction);
    await one.dispatcher.run();
    const files = bank.sent().map(({ bytes }) => readAch(bytes));
    const modifiers = files.map((file) => (isRefused(file) ? "" : file.modifier));
    expect(modifiers).toEqual(["A", "B"]);
    const traces = (await store.payments.find().toArray()).map(({ trace }) => trace);
    expect(new Set(traces).size).toBe(2);
  });

  it("balances its files where the bank wants that", async () => {
    const balanced_by = { routing: "121042882", account: "555", account_type: "checking" };
    const one = open({ profile: { ...nachaSettings.profile, balanced_by } });
    await one.rail.submit(freshKey(), instruction);
    const { read } = await send(one);
    const entries = read.batches.flatMap((each) => each.entries);
    expect(entries.map(({ direction, cents }) => [direction, cents])).toEqual([
      ["credit", 1_000n],
      ["debit", 1_000n],
    ]);
  });

  it("counts as settled once the window for returns is over, and not before", async () => {
    const key = freshKey();
    await open().rail.submit(key, instruction);
    await send();
    // Settled on Wednesday; Thursday is a holiday: Friday and Monday are the window.
    now = day("2026-11-30T23:59");
    await open().dispatcher.run();
    expect(await statusOf(key)).toEqual({ kind: "accepted" });
    now = day("2026-12-01T00:00");
    await open().dispatcher.run();
    const { trace = "" } = (await store.payments.findOne({ _id: key })) ?? {};
    expect(await statusOf(key)).toEqual({ kind: "settled", reference: trace });
    expect(await store.files.countDocuments({ settling: { $exists: true } })).toBe(0);
  });

  it("is returned before and after its settlement", async () => {
    const keys = [freshKey(), freshKey()];
    for (const key of keys) await open().rail.submit(key, instruction);
    const { bytes } = await send();
    await answer(bytes, [{ code: "R03" }, undefined]);
    const failure = { code: "ACCOUNT_NOT_FOUND", railCode: "R03" };
    expect(await statusOf(keys[0] ?? "")).toMatchObject({ kind: "returned", failure });
    now = day("2026-12-01T09:00");
    await open().dispatcher.run();
    expect(await statusOf(keys[1] ?? "")).toMatchObject({ kind: "settled" });
    await answer(bytes, [undefined, { code: "R16" }]);
    expect(await statusOf(keys[1] ?? "")).toMatchObject({
      ...{ kind: "returned", failure: { code: "ACCOUNT_BLOCKED", railCode: "R16" } },
    });
    expect(await findings()).toEqual([]);
  });

  it("stores a change that a bank proposes, sealed, and applies it to nothing", async () => {
    const key = freshKey();
    await open().rail.submit(key, instruction);
    const { bytes } = await send();
    await answer(bytes, [{ code: "C01", corrected: "1918171614" }]);
    expect(await statusOf(key)).toEqual({ kind: "accepted" });
    const [found] = await findings();
    expect(found).toMatchObject({ kind: "change", what: "C01: other account", payout_id: key });
    expect(JSON.stringify(found)).not.toContain("1918171614");
    expect(found && findingDetails(found, sealer)).toBe('{"account":"1918171614"}');
  });

  it("creates a finding for a return that matches no payment", async () => {
    const key = freshKey();
    await open().rail.submit(key, instruction);
    const { bytes } = await send();
    await store.payments.updateOne({ _id: key }, { $set: { trace: "121042880999999" } });
    await answer(bytes, [{ code: "R02" }]);
    expect(await findings()).toMatchObject([{ kind: "unmatched", what: "unknown" }]);
    expect(await statusOf(key)).toEqual({ kind: "accepted" });
  });

  it("accepts at most the amount that a window and the format allow", () => {
    expect(open().rail.capabilities.limits).toEqual({ USD: { max: 9_999_999_999n } });
  });

  it("rejects an account number that has no place, and sends the others", async () => {
    const keys = [freshKey(), freshKey()];
    const accountNumber = "1".repeat(18);
    await open().rail.submit(keys[0] ?? "", { ...instruction, accountNumber });
    await open().rail.submit(keys[1] ?? "", instruction);
    const { read } = await send();
    expect(read.batches.flatMap((each) => each.entries)).toHaveLength(1);
    const failure = { code: "INVALID_ACCOUNT" };
    expect(await statusOf(keys[0] ?? "")).toEqual({ kind: "rejected", failure });
  });
});
