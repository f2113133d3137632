import { afterAll, beforeAll, expect, test } from "vitest";
import { addCounts, bankFaultKinds, type FaultCounts } from "../faults.ts";
import { virtualGlobals } from "../scheduler/virtual-globals.ts";
import { without } from "../test-sabotage.ts";
import { runBankSeed } from "./bank-run.ts";

const seeds = 60;

let globals: ReturnType<typeof virtualGlobals>;
beforeAll(() => {
  globals = virtualGlobals();
});
afterAll(() => globals.restore());

test(`${seeds} seeds pay each payout in files once, and each fault happens`, async () => {
  const faults: FaultCounts = {};
  const wrong: string[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const result = await runBankSeed(seed);
    addCounts(faults, result.faults);
    wrong.push(...result.wrong.map((each) => `bank seed ${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
  expect(bankFaultKinds.filter((kind) => faults[kind] === undefined)).toEqual([]);
}, 120_000);

test("the same seed is the same run", async () => {
  expect(await runBankSeed(7)).toEqual(await runBankSeed(7));
});

test.each([
  ["a file takes payments that another one has", without("bank_payments", "updateMany", "state")],
  [
    "a file is sent despite another process's decision",
    without("bank_files", "updateOne", "revision"),
  ],
  ["a payment is taken back that a file has", without("bank_payments", "updateOne", "state")],
])(
  "finds within a few seeds that %s",
  async (_what, options) => {
    const seedsMax = 60;
    for (let seed = 1; seed <= seedsMax; seed += 1) {
      const { wrong } = await runBankSeed(seed, options);
      if (wrong.length > 0) return;
    }
    expect.unreachable(`${seedsMax} seeds noticed nothing`);
  },
  60_000,
);
