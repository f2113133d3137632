import { parseDecimal } from "@disburse/kernel/decimal.ts";
import { expect, it } from "vitest";
import { movesMoreThan } from "./corridor.ts";

const decimal = (text: string) => parseDecimal(text) ?? expect.unreachable();

it.each([
  ["0.1", "83.20", "91.52", false],
  ["0.1", "83.20", "91.5200000001", true],
  ["0.1", "83.20", "74.88", false],
  ["0.1", "83.20", "74.8799999999", true],
  ["0", "1", "1.0000000000", false],
  ["0", "1", "1.0000000001", true],
  ["0.1", "0.0000158", "0.01580000", true],
  ["0.05", "100000", "105000", false],
])("a move of more than %s from %s to %s: %s", (share, from, to, expected) => {
  expect(movesMoreThan(decimal(share), decimal(from), decimal(to))).toBe(expected);
});
