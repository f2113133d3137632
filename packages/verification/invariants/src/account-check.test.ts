import { expect, test } from "vitest";
import { createAccountCheck } from "./account-check.ts";
import type { Account, RecordedEntry } from "./documents.ts";
import { now, soundDocuments } from "./test-documents.ts";

/** Returns an account with a valid ledger, which tests may change. */
function sound() {
  const { accounts, ledger_entries: entries } = soundDocuments();
  const [account] = accounts;
  if (account === undefined) throw new Error("the sound documents have no account");
  return { account, entries };
}

function faults({ account, entries }: { account: Account; entries: RecordedEntry[] }): string[] {
  const check = createAccountCheck(account);
  for (const entry of entries) check.add(entry);
  return check.end(now).map(({ detail }) => detail);
}

test("finds nothing wrong where money is conserved", () => {
  expect(faults(sound())).toEqual([]);
});

test.each(["po_rejected:release", "po_returned:return"])(
  "knows that a released hold and a return bring money back: %s",
  (key) => {
    const { account, entries } = sound();
    const without = entries.filter(({ _id }) => _id !== key);
    expect(without).toHaveLength(entries.length - 1);
    const found = faults({ account, entries: without });
    expect(found).toContain("its balances differ from those of its last entry");
  },
);

test.each<[string, Partial<Account>, RegExp]>([
  ["money made", { available: "80001" }, /funded − settled out/],
  ["money lost", { available: "79999" }, /funded − settled out/],
  [
    "money that changed sides",
    { available: "80001", held: "9999" },
    /differ from those of its last entry/,
  ],
  [
    "a movement that is in no ledger",
    { recent: [] },
    /sequence differs from that of its last entry/,
  ],
  ["a gap in the ledger", { recorded_sequence: 99 }, /ledger lacks entries/],
  ["a balance below zero", { available: "-1", held: "90001" }, /has -1 available/],
])("finds %s", (_each, changed, fault) => {
  const { account, entries } = sound();
  expect(faults({ account: { ...account, ...changed }, entries }).join("\n")).toMatch(fault);
});
