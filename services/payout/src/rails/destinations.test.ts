import { expect, it } from "vitest";
import { testRail } from "../test-platform.ts";
import { createRailDirectory } from "./directory.ts";
import { railsTo, transferKindsOf } from "./rpc.ts";

const now = new Date("2026-11-20T11:26:00Z");

it.each([
  ["USD", "ACH , SWIFT , LOCAL "],
  ["USDC", "ACH , SWIFT , LOCAL "],
  ["INR", "LOCAL "],
  ["EUR", "SEPA "],
  ["BTC", "CRYPTO BTC"],
  ["USDC_ETH", "CRYPTO ETHEREUM, CRYPTO BNB"],
  ["USDC_SOL", "CRYPTO SOLANA"],
])("%s is paid by %s", (currency, expected) => {
  const kinds = transferKindsOf(currency).map(
    ({ transferMethod, network }) => `${transferMethod} ${network}`,
  );
  expect(kinds.join(", ")).toBe(expected);
});

it("a rail is named with each way that leads to it, its cut-off and its usual time", () => {
  const bank = testRail({
    name: "bank",
    capabilities: {
      ...{ currencies: ["USD", "EUR"], transferMethods: ["SWIFT", "SEPA", "ACH"] },
      ...{ networks: [], limits: { USD: { min: 1_000n } } },
    },
    cutOff: ({ transferMethod }) => {
      return transferMethod === "SEPA" ? { time: "16:00", zone: "Europe/Berlin" } : undefined;
    },
    expectedAt: ({ transferMethod }, at) => {
      return transferMethod === "SWIFT" ? undefined : new Date(at.getTime() + 86_400_001);
    },
  });
  const routes = [
    { currency: "USD", transferType: "ACH", rail: "bank" },
    { currency: "USD", transferType: "SWIFT", rail: "bank" },
    { currency: "EUR", rail: "bank" },
  ];
  const directory = createRailDirectory([bank], routes, async () => true);
  const railsOf = (currency: string) =>
    railsTo(directory, currency, now).map(({ rail, transferMethod, cutOff, ...of }) =>
      [rail, transferMethod, cutOff, of.settlementSeconds].join(" "),
    );
  expect(railsOf("USD")).toEqual(["bank ACH  86401", "bank SWIFT  "]);
  expect(railsOf("EUR")).toEqual(["bank SEPA 16:00 Europe/Berlin 86401"]);
  // INR has no route.
  expect(railsOf("INR")).toEqual([]);
});
