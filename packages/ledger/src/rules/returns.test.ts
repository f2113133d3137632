import type { Decimal } from "@disburse/kernel/decimal.ts";
import { addDecimals, parseDecimal } from "@disburse/kernel/decimal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Posting, Shortfall } from "./account.ts";
import {
  isBalanced,
  paymentPostings,
  postingText,
  returnPostings,
  withheldMinor,
} from "./postings.ts";

/** 12.41 USD, of which 0.37 are fees, at 83.1234567891: 1,000.00 INR. */
const conversion = {
  ...{ destination: "INR", feesMinor: 37n, receivingMinor: 100_000n },
  exchangeRate: "83.1234567891",
};
const payment = paymentPostings(1_241n, "USD", conversion);
const short = (bearer: Shortfall["bearer"], minor: bigint): Shortfall => ({
  ...{ bearer, minor, destination: "INR", exchangeRate: "83.1234567891" },
});
const shown = (postings: readonly Posting[]) =>
  postings.map(({ account, currency, amount }) => `${account} ${currency} ${postingText(amount)}`);
const sumOf = (postings: readonly Posting[], name: string): Decimal =>
  postings
    .filter(({ account, currency }) => `${account} ${currency}` === name)
    .reduce<Decimal>((sum, { amount }) => addDecimals(sum, amount), { units: 0n, scale: 0 });

describe("a return reduced by a bank's charge", () => {
  it("returns everything to the merchant if the platform bears the charge", () => {
    expect(shown(returnPostings(payment, "USD", short("platform", 1_500n)))).toEqual([
      "available USD 12.41",
      "platform:fees USD -0.37",
      "platform:exchange USD -12.04",
      "platform:exchange INR 1000.806419740764",
      "platform:settlement INR -985",
      "platform:rounding INR -0.806419740764",
      "platform:charges INR -15",
    ]);
  });

  it("returns less if the merchant bears the charge, rounded up to a cent", () => {
    // 15.00 INR ÷ 83.1234567891 is 0.1804… USD.
    expect(shown(returnPostings(payment, "USD", short("merchant", 1_500n)))).toEqual([
      "available USD 12.22",
      "platform:fees USD -0.37",
      "platform:exchange USD -11.85",
      "platform:exchange INR 985.012962950835",
      "platform:settlement INR -985",
      "platform:rounding INR -0.012962950835",
    ]);
  });

  it.each<[string, string, string, bigint, bigint]>([
    ["INR", "83.1234567891", "USD", 1n, 1n],
    ["INR", "100", "USD", 99n, 1n],
    ["INR", "100", "USD", 100n, 1n],
    ["INR", "100", "USD", 101n, 2n],
    ["USD", "1", "USD", 1_500n, 1_500n],
    ["ETH", "0.0004", "USD", 400_000_000_000_000n, 100n],
    ["ETH", "0.0004", "USD", 400_000_000_000_001n, 101n],
  ])(
    "withholds of %s at %s in %s: %d is %d",
    (destination, exchangeRate, source, minor, withheld) => {
      expect(withheldMinor(source, { destination, exchangeRate, minor })).toBe(withheld);
    },
  );

  it("is balanced, costs the platform nothing and the merchant at most one unit", () => {
    const rates = ["1", "83.1234567891", "0.5", "0.0000104321"];
    fc.assert(
      fc.property(
        fc.bigInt({ min: 100n, max: 10n ** 9n }),
        fc.constantFrom(...rates),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.constantFrom("platform" as const, "merchant" as const),
        (source, exchangeRate, part, bearer) => {
          const rate = parseDecimal(exchangeRate) as Decimal;
          const receivingMinor = (source * rate.units) / 10n ** BigInt(rate.scale);
          if (receivingMinor < 2n) return;
          const minor = 1n + (part % (receivingMinor - 1n));
          const terms = { destination: "INR", exchangeRate };
          const paid = paymentPostings(source, "USD", { ...terms, feesMinor: 0n, receivingMinor });
          const postings = returnPostings(paid, "USD", { ...terms, bearer, minor });
          expect(isBalanced(postings)).toBe(true);
          const withheld = withheldMinor("USD", { ...terms, minor });
          expect(withheld * rate.units).toBeGreaterThanOrEqual(minor * 10n ** BigInt(rate.scale));
          expect((withheld - 1n) * rate.units).toBeLessThan(minor * 10n ** BigInt(rate.scale));
          expect(withheld <= source).toBe(true);
          const got = bearer === "platform" ? source : source - withheld;
          expect(postingText(sumOf(postings, "available USD"))).toBe(
            postingText({ units: got, scale: 2 }),
          );
          const cost = bearer === "platform" ? -minor : 0n;
          expect(postingText(sumOf(postings, "platform:charges INR"))).toBe(
            postingText({ units: cost, scale: 2 }),
          );
        },
      ),
    );
  });
});
