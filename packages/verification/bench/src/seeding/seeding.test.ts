import { createAccountCheck } from "@disburse/invariants/account-check.ts";
import type { Account } from "@disburse/invariants/documents.ts";
import { Decimal128 } from "mongodb";
import { expect, test } from "vitest";
import { type LedgerLine, startChain } from "./seeding.ts";

const minor = (text: string) => Decimal128.fromString(text);
const usd = (account: string, amount: string) => ({ account, currency: "USD", amount });

function line(id: string, step: string, amount: string, postings: LedgerLine["postings"]) {
  return {
    ...{ _id: id, account_id: "acc_1", merchant_id: "mer_1", currency: "USD", step, note: "" },
    ...{ amount: minor(amount), payout_id: step === "credit" ? "" : "po_1", reverses: "" },
    ...{ sequence: 99, available: minor("1"), held: minor("1"), previous_hash: "x", hash: "y" },
    ...{ created_at: new Date(5_000), postings },
  };
}

test("links entries into a ledger that the invariants find nothing wrong with", () => {
  const chain = startChain();
  const late = { ...line("po_1:hold", "hold", "700", [usd("available", "-7"), usd("held", "7")]) };
  const entries = [
    line("acc_1:credit:op", "credit", "1050", [
      usd("available", "10.5"),
      usd("platform:funding", "-10.5"),
    ]),
    { ...late, created_at: new Date(9_000) },
    line("po_1:post", "post", "700", [
      ...[usd("held", "-7"), usd("platform:fees", "0.1"), usd("platform:exchange", "6.9")],
      ...[usd("platform:exchange", "-6.9"), usd("platform:settlement", "6.9")],
    ]),
  ].map((entry) => chain.add(entry));
  const account = chain.account();
  expect(account).toMatchObject({ sequence: 3, platform: { "platform:fees/USD": "0.1" } });
  expect([String(account.available), String(account.held)]).toEqual(["350", "0"]);
  expect(entries.map((entry) => entry.created_at.getTime())).toEqual([5_000, 9_000, 9_000]);
  const own = { _id: "acc_1", merchant_id: "mer_1", currency: "USD", recent: [], open_holds: [] };
  const counts = { initiated: 0, succeeded: 1, failed: 0 };
  const check = createAccountCheck({ ...own, counts, ...account } as Account);
  for (const entry of entries) check.add(entry);
  expect(check.end(new Date(10_000))).toEqual([]);
});
