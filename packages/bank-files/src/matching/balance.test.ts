import { describe, expect, it } from "vitest";
import type { Balance } from "../iso20022/reports/statement.ts";
import { statementBalance } from "./balance.ts";
import { bookedEntry, statementOf } from "./test-sent.ts";

const usd = (minor: bigint) => ({ minor, currency: "USD" });
const balance = (type: string, minor: bigint): Balance => ({ type, amount: usd(minor) });
const statement = (balances: readonly Balance[]) => {
  const entries = [
    bookedEntry("debit", undefined, { amount: usd(300n) }),
    bookedEntry("credit", undefined, { amount: usd(100n) }),
    bookedEntry("debit", undefined, { amount: usd(999n), status: "pending" }),
  ];
  return { ...statementOf(entries), balances };
};

describe("the balance of a statement", () => {
  it.each([
    ["OPBD", 300n, 0n],
    ["PRCD", 300n, 0n],
    ["OPBD", 301n, -1n],
    ["OPBD", 0n, 300n],
  ])("from %s %s differs by %s", (type, opening, difference) => {
    const balances = [balance(type, opening), balance("CLBD", 100n)];
    expect(statementBalance(statement(balances))).toEqual({
      ...{ opening: usd(opening), booked: usd(-200n), closing: usd(100n) },
      difference: usd(difference),
    });
  });

  it.each([
    [[]],
    [[balance("OPBD", 1n)]],
    [[balance("OPBD", 1n), balance("OPBD", 2n), balance("CLBD", 3n)]],
    [[{ type: "OPBD", amount: { minor: 1n, currency: "EUR" } }, balance("CLBD", 3n)]],
  ])("is not known from %o", (balances) => {
    expect(statementBalance(statement(balances))).toBeUndefined();
  });
});
