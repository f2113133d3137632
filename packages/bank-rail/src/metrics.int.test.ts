import { answersOf } from "@disburse/bank-simulator/answers.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { freshKey } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBankStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { bankMetrics } from "./metrics.ts";
import { swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("bank_metrics", [baseline(1, indexes)]);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

it("show waiting and late payments, and findings for operators", async () => {
  const bank = createTestServer();
  let now = wednesday("12:00");
  const clock = { now: () => now };
  const store = openBankStore(database);
  const { rail, dispatcher } = testRail(testSettings("iso20022"), {
    ...{ store, server: bank.server, now: clock.now },
  });
  const metrics = createMetrics("test");
  const read = bankMetrics({ database, metrics, clock, log: silentLog }, [
    { rail, settledThrough: undefined },
  ]);
  const shown = async () => {
    await read();
    const lines = (await metrics.text()).split("\n");
    const value = (name: string) => {
      const values = lines
        .filter((line) => line.startsWith(`${name}{rail="bank-usd"`))
        .map((line) => Number(line.split(" ").at(-1)));
      return values.length === 0 ? undefined : String(values.reduce((sum, each) => sum + each));
    };
    return {
      waiting: value("disburse_bank_waiting_payments"),
      late: value("disburse_bank_late_seconds"),
      findings: value("disburse_bank_findings_open"),
      statement: value("disburse_bank_statement_age_seconds"),
      undecided: value("disburse_bank_undecided_files"),
    };
  };
  const quiet = { waiting: "0", late: "0", findings: "0", statement: undefined, undecided: "0" };
  expect(await shown()).toEqual(quiet);
  await rail.submit(freshKey(), swiftTransfer);
  expect(await shown()).toEqual({ ...quiet, waiting: "1" });
  now = wednesday("15:50");
  expect(await shown()).toEqual({ ...quiet, waiting: "1", late: "300" });
  bank.knobs.isAway = true;
  await expect(dispatcher.run()).rejects.toThrow();
  now = wednesday("15:52");
  expect(await shown()).toEqual({ ...quiet, late: "120" });
  bank.knobs.isAway = false;
  await dispatcher.run();
  expect(await shown()).toEqual(quiet);
  const [file] = bank.sent();
  const { statement, statusReport } = answersOf(
    file?.bytes ?? new Uint8Array(),
    ["duplicate"],
    false,
  );
  bank.put("status.xml", statusReport);
  bank.put("statement.xml", statement);
  await dispatcher.run();
  await dispatcher.run();
  now = wednesday("15:53");
  expect(await shown()).toEqual({ ...quiet, findings: "1", statement: "60" });
  await store.files.updateOne({}, { $set: { state: "undecided", open: "bank-usd" } });
  expect(await shown()).toMatchObject({ undecided: "1", late: "0" });
});
