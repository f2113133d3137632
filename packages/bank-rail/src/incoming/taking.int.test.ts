import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Outcome } from "@disburse/bank-simulator/outcomes.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { freshKey } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readContent, storeContent } from "../contents.ts";
import { type BankStore, openBankStore } from "../documents.ts";
import { indexes } from "../indexes.ts";
import { sealer, swiftTransfer, testRail, testSettings, wednesday } from "../test-rail.ts";
import { createTestServer } from "../test-server.ts";

let database: Database;
let store: BankStore;
let now = wednesday("12:00");
let bank = createTestServer();

beforeAll(async () => {
  database = await migratedDatabase("bank_taking", [baseline(1, indexes)]);
  store = openBankStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
  bank = createTestServer();
  now = wednesday("12:00");
});

const open = () =>
  testRail(testSettings("iso20022"), { store, server: bank.server, now: () => now });

/** Sends payments and returns the bank's responses. */
async function sent(outcomes: readonly Outcome[]) {
  const { rail, dispatcher } = open();
  now = wednesday("12:00");
  const keys = outcomes.map(() => freshKey());
  for (const key of keys) await rail.submit(key, swiftTransfer);
  now = wednesday("15:46");
  await dispatcher.run();
  const [file] = bank.sent().slice(-1);
  return { keys, ...answersOf(file?.bytes ?? new Uint8Array(), outcomes, false) };
}

/** Polls with one process, so many times. */
async function poll(times = 2): Promise<void> {
  const { dispatcher } = open();
  for (let time = 0; time < times; time += 1) await dispatcher.run();
}

const kindsOf = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await open().rail.query(key)).status.kind));
const findings = () => store.findings.find().sort({ place: 1 }).toArray();

describe("files of a bank", () => {
  it("are stored complete and processed once, whatever their names and however often they arrive", async () => {
    const { keys, statement } = await sent(["settled"]);
    bank.put("statement.xml", statement);
    await poll();
    bank.put("statement-again.xml", statement);
    await poll();
    await poll();
    const [received, ...others] = await store.received.find().toArray();
    expect(others).toEqual([]);
    expect(received).toMatchObject({ state: "taken", kind: "statement", verdicts: { settled: 1 } });
    const bytes = await readContent(store, sealer, "bank-usd", received?.sha256 ?? "");
    expect(Buffer.from(bytes).equals(Buffer.from(statement))).toBe(true);
    expect(await kindsOf(keys)).toEqual(["settled"]);
    expect(await findings()).toEqual([]);
  });

  it("mean the same out of order and late", async () => {
    const { keys, statement, statusReport } = await sent(["settled", "returned"]);
    bank.put("statement.xml", statement);
    await poll();
    bank.put("status.xml", statusReport);
    await poll();
    expect(await kindsOf(keys)).toEqual(["settled", "returned"]);
    expect(await findings()).toEqual([]);
  });

  it("are not processed while they grow; a truncated one is stored and becomes a finding", async () => {
    const { keys, statement } = await sent(["settled"]);
    const half = statement.subarray(0, statement.length / 2);
    const { dispatcher } = open();
    bank.put("statement.xml", half);
    await dispatcher.run();
    bank.put("statement.xml", statement.subarray(0, statement.length - 10));
    await dispatcher.run();
    expect(await store.received.countDocuments()).toBe(0);
    await dispatcher.run();
    expect(await store.received.find().toArray()).toMatchObject([{ state: "unreadable" }]);
    expect(await findings()).toMatchObject([{ kind: "unreadable", file: "statement.xml" }]);
    bank.put("statement.xml", statement);
    await dispatcher.run();
    await dispatcher.run();
    expect(await kindsOf(keys)).toEqual(["settled"]);
  });

  it("of another account move nothing, and are found once", async () => {
    const { keys, statement } = await sent(["settled", "settled"]);
    const other = new TextDecoder().decode(statement).replaceAll("000123456789", "000999999999");
    bank.put("statement.xml", new TextEncoder().encode(other));
    await poll();
    expect(await kindsOf(keys)).toEqual(["accepted", "accepted"]);
    expect(await findings()).toMatchObject([
      { kind: "unmatched", what: "another-account", place: "statement 1" },
    ]);
    expect(await store.balances.countDocuments()).toBe(0);
  });

  it("of another version are read by the same names, and found", async () => {
    const { keys, statement } = await sent(["settled"]);
    const other = new TextDecoder()
      .decode(statement)
      .replaceAll("camt.053.001.08", "camt.053.001.13");
    bank.put("statement.xml", new TextEncoder().encode(other));
    await poll();
    expect(await kindsOf(keys)).toEqual(["settled"]);
    expect(await findings()).toMatchObject([
      { kind: "unread", what: "is of a version that was not tried", place: "Document" },
    ]);
  });

  it("of what is no message of ours are kept and found", async () => {
    bank.put("readme.txt", new TextEncoder().encode("Dear customer"));
    await poll();
    expect(await findings()).toMatchObject([{ kind: "unreadable", file: "readme.txt" }]);
    expect(await store.received.countDocuments({ state: "unreadable" })).toBe(1);
  });

  it("with entries that are not ours are found with their amounts, and settle nothing", async () => {
    const { keys, statement } = await sent(["settled"]);
    const [key = ""] = keys;
    const other = new TextDecoder()
      .decode(statement)
      .replaceAll(key.slice(3).toUpperCase(), "01KAT3BZR0WM2NQ5E7Y8ZZZZZZ")
      .replace(/<UETR>[^<]*<\/UETR>/g, "");
    bank.put("statement.xml", new TextEncoder().encode(other));
    await poll();
    expect(await kindsOf(keys)).toEqual(["accepted"]);
    expect(await findings()).toMatchObject([
      { kind: "unmatched", what: "unknown", place: "Ntry[1]", amount: "-10.00 USD" },
    ]);
  });

  it("are judged anew where another process has changed a payment meanwhile", async () => {
    const { keys, statement } = await sent(["settled"]);
    const [key = ""] = keys;
    bank.put("statement.xml", statement);
    let isFirst = true;
    const payments = intercepted(store.payments, ["bulkWrite"], async (proceed) => {
      // A rejection is applied between the read of the payment and its write.
      const rejected = { $set: { state: "rejected" as const }, $inc: { revision: 1 } };
      if (isFirst) await store.payments.updateOne({ _id: key }, rejected);
      isFirst = false;
      return proceed();
    });
    const one = testRail(testSettings("iso20022"), {
      ...{ store: { ...store, payments }, server: bank.server, now: () => now },
    });
    await one.dispatcher.run();
    await one.dispatcher.run();
    expect(await store.payments.findOne({ _id: key })).toMatchObject({ state: "rejected" });
    expect(await findings()).toMatchObject([
      { kind: "unknown_outcome", what: "debited-after-rejection", payout_id: key },
    ]);
  });

  it("that contradict what is known move nothing", async () => {
    const { keys, statement, statusReport } = await sent(["settled"]);
    bank.put("statement.xml", statement);
    await poll();
    const rejected = new TextDecoder()
      .decode(statusReport)
      .replace("<TxSts>ACSP</TxSts>", "<TxSts>RJCT</TxSts>");
    bank.put("status.xml", new TextEncoder().encode(rejected));
    await poll();
    const reply = await open().rail.query(keys[0] ?? "");
    expect(reply).toMatchObject({
      ...{ status: { kind: "settled" }, contradiction: "the bank's files: rejected-after-debit" },
    });
    expect(await findings()).toMatchObject([
      { kind: "unknown_outcome", what: "rejected-after-debit" },
    ]);
  });

  it("with another balance of a day are found; the first one stays", async () => {
    const { statement } = await sent(["settled"]);
    bank.put("statement.xml", statement);
    await poll();
    const other = new TextDecoder()
      .decode(statement)
      .replace(">10000.00<", ">10001.00<")
      .replace(">9990.00<", ">9991.00<");
    bank.put("other.xml", new TextEncoder().encode(other));
    await poll();
    expect(await findings()).toMatchObject([
      { kind: "balance", what: "another balance of the day", place: "2026-11-25" },
    ]);
    const { rail } = open();
    expect((await rail.statement?.("USD", "2026-11-25"))?.closing).toBe("9990.00");
  });

  it("that are corrected replace the balance of the day, and other files do not", async () => {
    const { statement } = await sent(["settled"]);
    const text = new TextDecoder().decode(statement);
    bank.put("statement.xml", new TextEncoder().encode(text.replace(">9990.00<", ">9990.01<")));
    await poll();
    const [received] = await store.received.find().toArray();
    const correct = async (content: string) => {
      const sha256 = await storeContent(
        store,
        sealer,
        "bank-usd",
        new TextEncoder().encode(content),
      );
      await store.received.updateOne(
        { _id: received?._id ?? "" },
        {
          $set: { state: "stored", open: "bank-usd", corrected_sha256: sha256 },
          $inc: { reads: 1 },
        },
      );
      await poll();
    };
    await correct(text);
    const closing = async (day: string) => (await open().rail.statement?.("USD", day))?.closing;
    expect(await closing("2026-11-25")).toBe("9990.00");
    expect(await store.balances.find().toArray()).toMatchObject([{ is_balanced: true }]);
    // A day that the corrected statement does not cover loses its balance.
    await correct(text.replaceAll("<Dt>2026-11-25</Dt>", "<Dt>2026-11-24</Dt>"));
    expect([await closing("2026-11-25"), await closing("2026-11-24")]).toEqual([
      undefined,
      "9990.00",
    ]);
  });

  it("prove nothing of a day of which entries are left out, though its balances agree", async () => {
    const { statement } = await sent(["settled"]);
    const text = new TextDecoder().decode(statement);
    const [debit = ""] = /<Ntry>.*?<\/Ntry>/s.exec(text) ?? [];
    const unread = debit.replace(/<Sts>.*?<\/Sts>/s, "<Sts><Cd>XXXX</Cd></Sts>");
    const both = unread + unread.replace(">DBIT<", ">CRDT<");
    bank.put("statement.xml", new TextEncoder().encode(text.replace(debit, debit + both)));
    await poll();
    expect((await findings()).filter(({ kind }) => kind === "balance")).toEqual([]);
    expect(await store.balances.find().toArray()).toMatchObject([{ is_balanced: false }]);
  });

  it("with two balances of a day are found, and the first one stays", async () => {
    const { statement } = await sent(["settled"]);
    const text = new TextDecoder().decode(statement);
    const [one = ""] = /<Stmt>.*<\/Stmt>/s.exec(text) ?? [];
    const other = one.replace(/<Ntry>.*<\/Ntry>/s, "").replace(">10000.00<", ">9990.00<");
    bank.put("statement.xml", new TextEncoder().encode(text.replace(one, one + other)));
    await poll();
    expect(await findings()).toMatchObject([
      { kind: "balance", what: "another balance of the day" },
    ]);
    expect((await open().rail.statement?.("USD", "2026-11-25"))?.opening).toBe("10000.00");
  });

  it.each(["before", "after"])(
    "keep their findings where the process dies %s it applies them",
    async (when) => {
      const { statement } = await sent(["settled"]);
      const text = new TextDecoder().decode(statement);
      const [debit = ""] = /<Ntry>.*?<\/Ntry>/s.exec(text) ?? [];
      const back = debit
        .replace(">DBIT<", ">CRDT<")
        .replace(/<SubFmlyCd>.*?</, "<SubFmlyCd>CHRG<")
        .replace(/<AcctSvcrRef>.*?</g, "<AcctSvcrRef>C1<");
      bank.put("statement.xml", new TextEncoder().encode(text.replace(debit, debit + back)));
      let isKilled = false;
      const payments = intercepted(store.payments, ["bulkWrite"], async (proceed) => {
        if (when === "after") await proceed();
        isKilled = true;
        throw new Error("killed");
      });
      const one = testRail(testSettings("iso20022"), {
        ...{ store: { ...store, payments }, server: bank.server, now: () => now },
      });
      await one.dispatcher.run();
      await one.dispatcher.run();
      expect(isKilled).toBe(true);
      now = new Date(now.getTime() + 61_000);
      await poll();
      await store.received.updateOne({}, { $set: { state: "stored", open: "bank-usd" } });
      await poll();
      expect((await findings()).filter(({ kind }) => kind !== "balance")).toMatchObject([
        { kind: "unmatched", what: "charge-given-back", amount: "-10.00 USD" },
      ]);
    },
  );

  it("that do not agree with themselves are found by their difference", async () => {
    const { statement } = await sent(["settled"]);
    const other = new TextDecoder().decode(statement).replace(">9990.00<", ">9990.01<");
    bank.put("statement.xml", new TextEncoder().encode(other));
    await poll();
    expect(await findings()).toMatchObject([{ kind: "balance", amount: "0.01 USD" }]);
  });
});
