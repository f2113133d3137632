import { answersOf } from "@disburse/bank-simulator/answers.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BankStore, openBankStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { acceptPayment } from "./payments.ts";
import { planOf } from "./plan.ts";
import { sealer, swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";

/** Payments of a file, and entries of a statement (issue 19). */
const count = 10_000;
describe("matrix: the largest files of a bank", () => {
  let database: Database;
  let store: BankStore;
  let now = wednesday("12:00");
  const bank = createTestServer();

  beforeAll(async () => {
    database = await migratedDatabase("bank_large", [baseline(1, indexes)]);
    store = openBankStore(database);
  });
  afterAll(async () => {
    await database.db.dropDatabase();
    await database.close();
  });

  it("are written, checked and processed in time", { timeout: 300_000 }, async () => {
    const { work, dispatcher } = testRail(testSettings("iso20022"), {
      ...{ store, server: bank.server, now: () => now },
    });
    const plan = planOf(work.schedule, 1_000n, now);
    if ("refused" in plan) throw new Error("no plan");
    const keys = Array.from({ length: count }, (_each, at) => `po_${String(at).padStart(26, "0")}`);
    const accept = (key: string) =>
      acceptPayment(store, sealer, {
        ...{ key, rail: "bank-usd", account: "000123456789", instruction: swiftTransfer },
        ...{ plan, at: now },
      });
    for (let from = 0; from < count; from += 500) {
      await Promise.all(keys.slice(from, from + 500).map(accept));
    }
    now = wednesday("15:46");
    const written = performance.now();
    await dispatcher.run();
    const writtenMs = performance.now() - written;
    const [file] = bank.sent();
    const answers = answersOf(file?.bytes ?? new Uint8Array(), Array(count).fill("settled"), false);
    bank.put("statement.xml", answers.statement);
    await dispatcher.run();
    const taken = performance.now();
    await dispatcher.run();
    const takenMs = performance.now() - taken;
    const peak = Math.round(process.resourceUsage().maxRSS / 1024);
    process.stdout.write(
      `${count} payments: claimed, written, checked, stored and sent in ${Math.round(writtenMs)} ms; ` +
        `statement of ${answers.statement.length} bytes taken in ${Math.round(takenMs)} ms; peak ${peak} MiB\n`,
    );
    expect(await store.payments.countDocuments({ state: "settled" })).toBe(count);
    expect(writtenMs).toBeLessThan(10_000);
    expect(takenMs).toBeLessThan(10_000);
  });
});
