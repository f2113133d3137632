import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../../test-platform.ts";
import { BankBench, newYork } from "./test-bench.ts";

let platform: TestPlatform;
let bench: BankBench;

beforeAll(async () => {
  platform = await startTestPlatform();
  bench = new BankBench(platform);
});
afterAll(() => platform.stop());
beforeEach(() => bench.begin());

/** Returns the report with another reason. */
const because = (report: string, code: string) => report.replace("<Cd>AM05<", `<Cd>${code}<`);
/** Returns the report with another amount. */
const ofAmount = (report: string, amount: string) => {
  const original = `<OrgnlTxRef><Amt><InstdAmt Ccy="USD">${amount}</InstdAmt></Amt></OrgnlTxRef>`;
  return report.replace("</TxInfAndSts>", `${original}</TxInfAndSts>`);
};

/** Adds consecutive daily statements without a debit of this rail. */
async function silentDays(): Promise<void> {
  const days = ["2026-11-25", "2026-11-27", "2026-11-30"];
  await bench.store.balances.insertMany(
    days.map((day) => ({
      ...{ _id: `bank-usd ${day}`, schema_version: 1, rail: "bank-usd", day, currency: "USD" },
      ...{ opening_minor: toDecimal128(100n), closing_minor: toDecimal128(100n) },
      ...{ is_balanced: true, received: "x", at: bench.now },
    })),
  );
}

describe("evidence that a bank may have paid", () => {
  it("is kept where a later file rejects the payment for a listed reason", async () => {
    const { one, key, statusReport } = await bench.sentByIso(["duplicate"]);
    await bench.take(one, "1.xml", statusReport);
    await bench.take(one, "2.xml", because(statusReport, "AC04"));
    expect(await one.rail.query(key)).toMatchObject({ status: { kind: "unknown" } });
    expect(await bench.store.payments.findOne({ _id: key })).toMatchObject({
      unknown_outcome: { why: "rejected-as-duplicate" },
    });
  });

  it.each(["AC04", "NARR"])("of another amount is kept where %s rejects it later", async (code) => {
    const { one, key, statusReport } = await bench.sentByIso(["duplicate"]);
    await bench.take(one, "1.xml", ofAmount(statusReport, "11.00"));
    await bench.take(one, "2.xml", because(statusReport, code));
    await silentDays();
    bench.now = newYork("2026-12-01T09:00");
    await one.dispatcher.run();
    expect(await one.rail.query(key)).toMatchObject({ status: { kind: "unknown" } });
    expect(await bench.store.payments.findOne({ _id: key })).toMatchObject({
      unknown_outcome: { why: "amount-differs" },
    });
  });
});
