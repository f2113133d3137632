import { expect, test } from "vitest";
import { type AccountTotals, moneyFaults, type PlatformTotals } from "./money.ts";

/** 100 came in, 30 went out, 20 are on their way. */
const account: AccountTotals = {
  ...{ id: "acc_1", available: 50n, held: 20n, sequence: 4, ledgerSequence: 4 },
  steps: {
    credit: { count: 1, amount: 100n },
    hold: { count: 2, amount: 50n },
    post: { count: 1, amount: 30n },
  },
};
const totals: PlatformTotals = {
  ...{ accounts: [account], payouts: 2, strayPayouts: 0, claimedQuotes: 2, payoutsExpected: 2 },
};

test("finds nothing wrong where money is conserved", () => {
  expect(moneyFaults(totals)).toEqual([]);
});

test("knows that a released hold and a return bring money back", () => {
  const steps = {
    ...account.steps,
    hold: { count: 3, amount: 60n },
    release: { count: 1, amount: 10n },
    return: { count: 1, amount: 30n },
  };
  const returned = { ...account, available: 80n, sequence: 7, ledgerSequence: 7, steps };
  expect(moneyFaults({ ...totals, accounts: [returned] })).toEqual([]);
});

test.each<[string, Partial<AccountTotals>, RegExp]>([
  ["money made", { available: 51n }, /credits less debits/],
  ["money lost", { available: 49n }, /credits less debits/],
  ["money that changed sides", { available: 51n, held: 19n }, /holds that are open/],
  ["a movement that is in no ledger", { sequence: 5 }, /ledger entries/],
  ["a gap in the ledger", { ledgerSequence: 5 }, /ledger's last sequence/],
  ["a balance below zero", { available: -1n, held: 71n }, /below zero/],
])("finds %s", (_each, changed, fault) => {
  const faults = moneyFaults({ ...totals, accounts: [{ ...account, ...changed }] });
  expect(faults.join("\n")).toMatch(fault);
});

test.each<[string, Partial<PlatformTotals>, RegExp]>([
  ["a payout that no execute made", { payouts: 3, claimedQuotes: 3 }, /successful executes/],
  ["a payout without a claim", { claimedQuotes: 1 }, /claimed quotes/],
  ["a second payout of a quote", { strayPayouts: 1 }, /id of their quote/],
  ["a payout without a hold", { payouts: 3 }, /holds/],
])("finds %s", (_each, changed, fault) => {
  expect(moneyFaults({ ...totals, ...changed }).join("\n")).toMatch(fault);
});
