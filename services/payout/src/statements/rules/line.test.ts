import type { LedgerEntry } from "@disburse/ledger/rules/account.ts";
import type { Line } from "@disburse/statement-formats/statement.ts";
import { describe, expect, it } from "vitest";
import { balanceAfter, cursorOf, lineOf, readPosition } from "./line.ts";

const entry: LedgerEntry = {
  ...{ key: "po_1:post", accountId: "acc_1", merchantId: "mer_1", currency: "USD" },
  ...{ step: "post", amount: 1_241n, payoutId: "po_1", note: "", sequence: 3 },
  ...{ available: 8_759n, held: 100n, reverses: "", previousHash: "aa" },
  ...{ hash: "bb", createdAt: new Date("2026-11-20T11:26:00.123Z") },
  postings: [
    { account: "held", currency: "USD", amount: { units: -1_241n, scale: 2 } },
    { account: "platform:fees", currency: "USD", amount: { units: 37n, scale: 2 } },
    { account: "platform:exchange", currency: "USD", amount: { units: 1_204n, scale: 2 } },
  ],
};

describe("a line", () => {
  it.each([
    ["credit", 1_241n],
    ["post", -1_241n],
    ["return", 1_241n],
    ["reversal", -1_241n],
  ] as const)("of a %s has %s", (step, amount) => {
    expect(lineOf({ ...entry, step })).toMatchObject({ step, amount, balance: 8_859n });
  });

  it("has the fees posted to the platform, or none", () => {
    expect(lineOf(entry).fees).toBe(37n);
    expect(lineOf({ ...entry, postings: [] }).fees).toBe(0n);
  });

  it.each(["hold", "release", "fund"] as const)("is no %s", (step) => {
    expect(() => lineOf({ ...entry, step })).toThrow(
      `an entry of the step ${step} does not belong on a statement`,
    );
  });
});

describe("the balance after lines", () => {
  const line = (amount: bigint, balance: bigint) => ({ sequence: 1, amount, balance }) as Line;

  it("is that of the last line, or the opening one without lines", () => {
    expect(balanceAfter(5n, [])).toBe(5n);
    expect(balanceAfter(5n, [line(3n, 8n), line(-8n, 0n)])).toBe(0n);
  });

  it.each([
    [5n, [line(3n, 9n)]],
    [5n, [line(3n, 8n), line(-1n, 6n)]],
  ])("is refused if a line is missing or changed", (before, lines) => {
    expect(() => balanceAfter(before, lines)).toThrow("does not follow");
  });
});

describe("a cursor", () => {
  it("reads back", () => {
    const position = { next: 7, end: 9, to: new Date(1_795_173_961_000), balance: 12n };
    expect(readPosition(cursorOf(position))).toEqual(position);
  });

  it.each(["", "1.2.3", "a.2.3.4", "1.2.3.-4", "1.2.3.4.5"])("is not %j", (cursor) => {
    expect(readPosition(cursor)).toBeUndefined();
  });
});
