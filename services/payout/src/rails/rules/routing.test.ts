import { isRefused } from "@disburse/kernel/refusal.ts";
import type { RailCapabilities, Transfer } from "@disburse/rail/capabilities.ts";
import { describe, expect, it } from "vitest";
import { isPayable, railFor, railOf, routeProblems } from "./routing.ts";

const bank: RailCapabilities = {
  currencies: ["USD", "INR"],
  transferMethods: ["ACH", "SWIFT", "LOCAL"],
  networks: [],
  limits: { USD: { min: 100n, max: 1_000n }, INR: { min: 500n } },
};
const chain: RailCapabilities = {
  currencies: ["USDC_ETH"],
  transferMethods: ["CRYPTO"],
  networks: ["ETHEREUM"],
  limits: {},
};
const rails = new Map([
  ["bank", bank],
  ["slow-bank", bank],
  ["chain", chain],
]);
const routes = [
  { network: "ETHEREUM", rail: "chain" },
  { currency: "USD", transferType: "SWIFT", rail: "slow-bank" },
  { currency: "USD", rail: "bank" },
  { transferType: "LOCAL", rail: "bank" },
];
const ach: Transfer = { currency: "USD", amount: 500n, transferMethod: "ACH", network: "" };

it.each([
  ["by a route of its own", "USD", routes, true],
  ["by a route of its network", "USDC_ETH", routes, true],
  ["by a route of a method", "INR", routes, true],
  ["without a route whose rail has it", "BTC", routes, false],
  ["without routes", "USD", [], false],
  ["by a route of a rail that there is not", "USD", [{ rail: "other" }], false],
  ["after a route that takes every transfer", "USD", [{ rail: "chain" }, { rail: "bank" }], false],
  ["after one that takes some", "USD", [{ network: "POL", rail: "chain" }, { rail: "bank" }], true],
  ["by a network that the rail lacks", "USDC_ETH", [{ network: "POL", rail: "chain" }], false],
  ["by a method that the rail lacks", "USD", [{ transferType: "CRYPTO", rail: "bank" }], false],
])("%s, %s is payable: %s", (_what, currency, given, payable) => {
  expect(isPayable(given, rails, currency)).toBe(payable);
});

it.each([
  ["by its currency, whatever the amount", { transferMethod: "ACH" }, "bank"],
  ["by the first route that matches", { transferMethod: "SWIFT" }, "slow-bank"],
  ["without a route", { currency: "BTC" }, "NO_ROUTE"],
  ["to a rail that is not capable", { transferMethod: "SEPA" }, "NOT_CAPABLE"],
])("the rail of a way %s", (_what, change, expected) => {
  const rail = railOf(routes, rails, { ...ach, ...change });
  expect(isRefused(rail) ? rail.refused : rail).toBe(expected);
});

describe("the rail of a transfer", () => {
  it.each<[string, Partial<Transfer>, string]>([
    ["by its currency", {}, "bank"],
    ["by the first route that matches", { transferMethod: "SWIFT" }, "slow-bank"],
    ["at the lowest amount", { amount: 100n }, "bank"],
    ["at the highest amount", { amount: 1_000n }, "bank"],
    ["below the limits", { amount: 99n }, "OUTSIDE_LIMITS"],
    ["above the limits", { amount: 1_001n }, "OUTSIDE_LIMITS"],
    [
      "without an upper limit",
      { currency: "INR", transferMethod: "LOCAL", amount: 9_999n },
      "bank",
    ],
    ["of a currency that no route names", { currency: "INR" }, "NO_ROUTE"],
    ["of another network", { currency: "SOL", network: "SOLANA" }, "NO_ROUTE"],
    [
      "of a currency that the rail lacks",
      { transferMethod: "LOCAL", currency: "X" },
      "NOT_CAPABLE",
    ],
    ["of a method that the rail lacks", { transferMethod: "CRYPTO" }, "NOT_CAPABLE"],
    ["of a network that the rail lacks", { network: "BTC" }, "NOT_CAPABLE"],
    [
      "by its network",
      { currency: "USDC_ETH", transferMethod: "CRYPTO", network: "ETHEREUM", amount: 10n ** 30n },
      "chain",
    ],
  ])("%s", (_what, change, expected) => {
    const rail = railFor(routes, rails, { ...ach, ...change });
    expect(isRefused(rail) ? rail.refused : rail).toBe(expected);
  });

  it("is none where there are no routes, or the rail is not there", () => {
    expect(railFor([], rails, ach)).toMatchObject({ refused: "NO_ROUTE" });
    expect(railFor([{ rail: "gone" }], rails, ach)).toMatchObject({ refused: "NO_ROUTE" });
  });
});

it("names what is wrong with routes", () => {
  expect(routeProblems(routes, rails)).toEqual([]);
  const wrong = [
    { rail: "bank" },
    { rail: "gone" },
    { currency: "BTC", network: "BTC", transferType: "CRYPTO", rail: "bank" },
  ];
  expect(routeProblems(wrong, rails)).toEqual([
    "route 2: no rail is named gone",
    "route 3: the rail bank does not support BTC",
    "route 3: the rail bank does not support BTC",
    "route 3: the rail bank does not support CRYPTO",
  ]);
});
