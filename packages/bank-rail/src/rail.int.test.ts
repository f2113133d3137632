import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Outcome } from "@disburse/bank-simulator/outcomes.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { freshKey, keepsRailContract } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { BSON } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDispatcher } from "./dispatcher.ts";
import { type BankStore, openBankStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";
import { iso20022Settings } from "./test-settings.ts";

let database: Database;
let store: BankStore;
let now = wednesday("12:00");
let bank = createTestServer();
let isPaused = false;

beforeAll(async () => {
  database = await migratedDatabase("bank_rail", [baseline(1, indexes)]);
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
  isPaused = false;
});

const open = (changes: object = {}) =>
  testRail(testSettings("iso20022", changes), {
    ...{ store, server: bank.server, now: () => now, isPaused: async () => isPaused },
  });

/** Passes the cut-off and sends the waiting payments. */
async function send(rail = open()): Promise<Uint8Array> {
  now = wednesday("15:46");
  await rail.dispatcher.run();
  const [file] = bank.sent().slice(-1);
  if (file === undefined) throw new Error("nothing was sent");
  return file.bytes;
}

/** Has the rail take the files in the folder, which requires two polls. */
async function take(rail = open()): Promise<void> {
  await rail.dispatcher.run();
  await rail.dispatcher.run();
}

/** Has the bank respond to a file. */
function answer(
  file: Uint8Array,
  outcomes: readonly Outcome[],
  inOneSum = false,
  name = "answer",
): void {
  const { statusReport, statement } = answersOf(file, outcomes, inOneSum);
  bank.put(`${name}-status.xml`, statusReport);
  bank.put(`${name}-statement.xml`, statement);
}

const kindOf = async (key: string, rail = open()) => (await rail.rail.query(key)).status.kind;

describe("a rail of a bank", () => {
  keepsRailContract(() => {
    const one = open();
    return {
      rail: one.rail,
      transfer: swiftTransfer,
      settle: async () => {
        now = wednesday("15:46");
        await one.dispatcher.run();
        for (const { bytes } of bank.sent()) answer(bytes, Array(9).fill("settled"));
        await take(one);
        now = wednesday("12:00");
      },
      paid: async (key) => {
        const reference = key.slice(3).toUpperCase();
        return bank.sent().filter(({ bytes }) => {
          return new TextDecoder().decode(bytes).includes(`<EndToEndId>${reference}<`);
        }).length;
      },
    };
  });

  it("processes the bank's files between two uploads of a backlog", async () => {
    const payments = { payments_max: 1 };
    const settings = testSettings("iso20022", {
      profile: { ...iso20022Settings.profile, ...payments },
    });
    const operations: string[] = [];
    const inSession: typeof bank.server.inSession = (work) =>
      bank.server.inSession((session) =>
        work({
          ...session,
          upload: (...given) => {
            operations.push("upload");
            return session.upload(...given);
          },
          list: (...given) => {
            operations.push("look");
            return session.list(...given);
          },
        }),
      );
    const one = testRail(settings, {
      ...{ store, server: { ...bank.server, inSession }, now: () => now },
    });
    for (const key of [freshKey(), freshKey(), freshKey()])
      await one.rail.submit(key, swiftTransfer);
    await send(one);
    expect(bank.sent()).toHaveLength(3);
    expect(operations.join(" ")).toMatch(/^upload look upload look upload look/);
  });

  it("expects settlement by the bank's calendar", () => {
    const { rail } = open();
    const friday = new Date("2026-11-27T23:59:00.000-05:00");
    expect(rail.expectedAt?.({ ...swiftTransfer, network: "" }, now)).toEqual(friday);
    expect(rail.overdueAfterMs).toBe(96 * 3_600_000);
    expect(rail.isFunded).toBe(true);
    const cutOff = { time: "15:45", zone: "America/New_York" };
    expect(rail.cutOff?.({ ...swiftTransfer, network: "" })).toEqual(cutOff);
  });

  it("settles with charges, returns short of them, and gives the day's balances", async () => {
    const one = open({ return_charges_max: "0.07" });
    const keys = [freshKey(), freshKey()];
    for (const key of keys) await one.rail.submit(key, swiftTransfer);
    answer(await send(one), ["settled", "returned-short"]);
    await take(one);
    expect(await one.rail.query(keys[0] ?? "")).toMatchObject({
      status: { kind: "settled", reference: "BANK-000000001" },
    });
    expect(await one.rail.query(keys[1] ?? "")).toMatchObject({
      status: { kind: "returned", failure: { code: "ACCOUNT_CLOSED", railCode: "AC04" } },
      short: { amount: "0.07", currency: "USD" },
    });
    expect(await one.rail.statement?.("USD", "2026-11-25")).toEqual({
      ...{ opening: "10000.00", closing: "9989.93" },
    });
    expect(await one.rail.statement?.("USD", "2026-11-24")).toBeUndefined();
    expect(await store.findings.countDocuments()).toBe(0);
  });

  it("never releases money for a rejection as a duplicate", async () => {
    const { rail } = open();
    const key = freshKey();
    await rail.submit(key, swiftTransfer);
    answer(await send(), ["duplicate"]);
    await take();
    expect(await kindOf(key)).toBe("unknown");
    expect(await store.findings.find().toArray()).toMatchObject([
      { kind: "unknown_outcome", what: "rejected-as-duplicate", payout_id: key, open: true },
    ]);
  });

  it("settles by the sum of a block", async () => {
    const keys = [freshKey(), freshKey()];
    for (const key of keys) await open().rail.submit(key, swiftTransfer);
    answer(await send(), ["settled", "settled"], true);
    await take();
    expect(await Promise.all(keys.map((key) => kindOf(key)))).toEqual(["settled", "settled"]);
  });

  it("rejects a payment that does not fit its file, and sends the others", async () => {
    const { rail } = open();
    const keys = [freshKey(), freshKey(), freshKey()];
    const city = { ...swiftTransfer.address, city: "" };
    await rail.submit(keys[0] ?? "", { ...swiftTransfer, address: city });
    await rail.submit(keys[1] ?? "", { ...swiftTransfer, routingCodeValue: "DEUTDE" });
    await rail.submit(keys[2] ?? "", swiftTransfer);
    const file = new TextDecoder().decode(await send());
    expect(file.match(/<CdtTrfTxInf>/g)).toHaveLength(1);
    const replies = await Promise.all(keys.map((key) => rail.query(key)));
    expect(replies.map(({ status }) => status)).toMatchObject([
      { kind: "rejected", failure: { code: "INVALID_ADDRESS" } },
      { kind: "rejected", failure: { code: "INVALID_ROUTING" } },
      { kind: "accepted" },
    ]);
  });

  it("cuts a name for the bank alone, and transliterates it", async () => {
    const { rail } = open({ profile: { ...profileOf(), name_max: 12 } });
    await rail.submit(freshKey(), swiftTransfer);
    const one = open({ profile: { ...profileOf(), name_max: 12 } });
    expect(new TextDecoder().decode(await send(one))).toContain("<Nm>Jurgen Weiss</Nm>");
  });

  it("sends as soon as a file is full, before the cut-off", async () => {
    const one = open({ profile: { ...profileOf(), payments_max: 2 } });
    for (const key of [freshKey(), freshKey(), freshKey()])
      await one.rail.submit(key, swiftTransfer);
    await one.dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
    expect(await store.payments.countDocuments({ state: "waiting" })).toBe(1);
  });

  it("plans anew what missed its window while it was paused", async () => {
    const key = freshKey();
    await open().rail.submit(key, swiftTransfer);
    isPaused = true;
    now = wednesday("15:50");
    await open().dispatcher.run();
    expect(bank.sent()).toHaveLength(0);
    isPaused = false;
    now = wednesday("16:00");
    await open().dispatcher.run();
    expect(bank.sent()).toHaveLength(0);
    const stored = await store.payments.findOne({ _id: key });
    expect(stored?.plan).toMatchObject({ on: "2026-11-27", settles_on: "2026-11-30" });
  });

  it("waits for a server that is away, and sends when it is back", async () => {
    await open().rail.submit(freshKey(), swiftTransfer);
    now = wednesday("15:46");
    bank.knobs.isAway = true;
    await expect(open().dispatcher.run()).rejects.toThrow("the server is away");
    bank.knobs.isAway = false;
    await open().dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
    expect(await store.files.countDocuments({ state: "sent", sent_by: "upload" })).toBe(1);
  });

  it("holds everything where the profile does not fit, and fails no payment", async () => {
    const key = freshKey();
    const one = open();
    await one.rail.submit(key, swiftTransfer);
    const work = { ...one.work };
    const write: typeof work.format.write = (file, payments) =>
      one.work.format.write({ ...file, _id: "//" }, payments);
    const faulty = createDispatcher({ ...work, format: { ...work.format, write } });
    now = wednesday("15:46");
    await faulty.run();
    expect(await kindOf(key)).toBe("accepted");
    expect(await store.files.findOne({})).toMatchObject({
      ...{ state: "claiming", problems: ["messageId: is not a reference of up to 28"] },
    });
    now = wednesday("15:47");
    await one.dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
    expect(await kindOf(key)).toBe("accepted");
  });

  it("leaves a server alone for a while that failed", async () => {
    await open().rail.submit(freshKey(), swiftTransfer);
    const { dispatcher } = open();
    now = wednesday("15:46");
    bank.knobs.isAway = true;
    await expect(dispatcher.run()).rejects.toThrow("the server is away");
    bank.knobs.isAway = false;
    now = new Date(now.getTime() + 29_999);
    await dispatcher.run();
    expect(bank.sent()).toHaveLength(0);
    now = new Date(now.getTime() + 1);
    await dispatcher.run();
    expect(bank.sent()).toHaveLength(1);
  });

  it("has a file void of which nothing can be written, and rejects what was in it", async () => {
    const { rail, dispatcher } = open();
    const key = freshKey();
    await rail.submit(key, { ...swiftTransfer, routingCodeValue: "DEUTDE" });
    now = wednesday("15:46");
    await dispatcher.run();
    expect(await kindOf(key)).toBe("rejected");
    expect(await store.files.find().toArray()).toMatchObject([{ state: "void" }]);
    expect(await store.files.countDocuments({ open: { $exists: true } })).toBe(0);
    expect(bank.names("/outgoing")).toEqual([]);
  });

  it("keeps no account number or name in the clear", async () => {
    const key = freshKey();
    await open().rail.submit(key, swiftTransfer);
    const waiting = BSON.serialize({ all: await store.payments.find().toArray() });
    await send();
    const sent = BSON.serialize({
      payments: await store.payments.find().toArray(),
      files: await store.files.find().toArray(),
      contents: await store.contents.find().toArray(),
    });
    for (const bytes of [waiting, sent]) {
      const clear = Buffer.from(bytes).toString("latin1");
      expect(clear).toContain(key);
      expect(clear).not.toMatch(/DE89370400440532013000|rgen Wei|Hauptstra/);
    }
    expect((await store.payments.findOne({ _id: key }))?.sealed).toBeUndefined();
  });
});

function profileOf(): object {
  const { profile } = JSON.parse(JSON.stringify(testSettings("iso20022")));
  return profile;
}
