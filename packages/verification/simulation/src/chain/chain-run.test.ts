import { afterAll, beforeAll, expect, test } from "vitest";
import { addCounts, chainFaultKinds, type FaultCounts } from "../faults.ts";
import { virtualGlobals } from "../scheduler/virtual-globals.ts";
import { without } from "../test-sabotage.ts";
import { runChainSeed } from "./chain-run.ts";

const seeds = 60;

let globals: ReturnType<typeof virtualGlobals>;
beforeAll(() => {
  globals = virtualGlobals();
});
afterAll(() => globals.restore());

test(`${seeds} seeds pay each payout of a wallet once, and each fault happens`, async () => {
  const faults: FaultCounts = {};
  const wrong: string[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const result = await runChainSeed(seed);
    addCounts(faults, result.faults);
    wrong.push(...result.wrong.map((each) => `chain seed ${seed}: ${each}`));
  }
  expect(wrong).toEqual([]);
  expect(chainFaultKinds.filter((kind) => faults[kind] === undefined)).toEqual([]);
}, 120_000);

test("the same seed is the same run", async () => {
  expect(await runChainSeed(7)).toEqual(await runChainSeed(7));
});

test.each([
  ["nonces are given away over another's write", without("chain_wallets", "updateOne", "revision")],
  [
    "a variant is added to one that another added",
    without("chain_transfers", "updateOne", "attempts"),
  ],
])(
  "finds within a few seeds that %s",
  async (_what, options) => {
    const seedsMax = 40;
    for (let seed = 1; seed <= seedsMax; seed += 1) {
      const { wrong } = await runChainSeed(seed, options);
      if (wrong.length > 0) return;
    }
    expect.unreachable(`${seedsMax} seeds noticed nothing`);
  },
  60_000,
);
