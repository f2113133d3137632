import { expect, it } from "vitest";
import { priorityFee, transactionFee } from "./priority-fee.ts";

it.each<[string, bigint[][], bigint]>([
  ["no report", [], 10n],
  ["no recent block", [[]], 10n],
  ["low fees", [[0n, 0n, 3n]], 10n],
  ["fees within the bounds", [[40n, 10n, 20n, 30n]], 40n],
  ["the higher report", [[20n], [50n]], 50n],
  ["high fees", [[1_000n]], 100n],
])("priority fee: %s", (_what, reports, expected) => {
  expect(priorityFee(reports, { min: 10n, max: 100n })).toBe(expected);
});

it("rounds the transaction's fee up to a lamport", () => {
  expect(transactionFee(0n, 150_000)).toBe(5_000n);
  expect(transactionFee(1n, 1)).toBe(5_001n);
  expect(transactionFee(1_000n, 150_000)).toBe(5_150n);
});
