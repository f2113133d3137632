import { readFileSync } from "node:fs";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { formatAmount, readAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Amounts, quoteFixedSource, quoteFixedTarget, type Terms } from "./arithmetic.ts";

type Vector = Record<
  | "fixed"
  | "source_currency_code"
  | "destination_currency_code"
  | "exchange_rate"
  | "fee_share"
  | "fee_flat"
  | "amount"
  | "source_amount"
  | "total_fees"
  | "converted_amount"
  | "receiving_amount"
  | "why",
  string
>;

const published = JSON.parse(
  readFileSync(new URL("../../../../docs/quote-vectors.json", import.meta.url), "utf8"),
) as { vectors: Vector[]; refused: Vector[] };

function work(vector: Vector) {
  const { source_currency_code: source, destination_currency_code: destination } = vector;
  const flatMinor = /[1-9]/.test(vector.fee_flat) ? readAmount(vector.fee_flat, source) : 0n;
  const fee = { share: decimal(vector.fee_share), flatMinor };
  const terms = { source, destination, rate: decimal(vector.exchange_rate), fee };
  return vector.fixed === "source"
    ? quoteFixedSource(terms, readAmount(vector.amount, source))
    : quoteFixedTarget(terms, readAmount(vector.amount, destination));
}

function decimal(text: string) {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error(text);
  return read;
}

describe("the published vectors", () => {
  it.each(published.vectors)(
    "fixed $fixed of $amount $source_currency_code → $destination_currency_code",
    (vector) => {
      const amounts = work(vector) as Amounts;
      const { source_currency_code: source, destination_currency_code: destination } = vector;
      expect(formatAmount(amounts.source, source)).toBe(vector.source_amount);
      expect(formatAmount(amounts.fees, source)).toBe(vector.total_fees);
      expect(formatAmount(amounts.converted, source)).toBe(vector.converted_amount);
      expect(formatAmount(amounts.receiving, destination)).toBe(vector.receiving_amount);
    },
  );

  it.each(published.refused)("refuses because $why", (vector) => {
    expect(work(vector)).toMatchObject({ refused: "INVALID_REQUEST" });
  });
});

const anyTerms: fc.Arbitrary<Terms> = fc.record({
  source: fc.constantFrom("USD", "USDC_ETH", "BTC", "ETH"),
  destination: fc.constantFrom("USD", "INR", "USDC_ETH", "BTC", "SOL", "ETH"),
  rate: fc.record({
    units: fc.bigInt({ min: 1n, max: 10n ** 13n }),
    scale: fc.integer({ min: 0, max: 10 }),
  }),
  fee: fc.record({
    share: fc.record({
      units: fc.bigInt({ min: 0n, max: 99n }),
      scale: fc.integer({ min: 2, max: 10 }),
    }),
    flatMinor: fc.bigInt({ min: 0n, max: 10n ** 6n }),
  }),
});
const anyMinor = fc.bigInt({ min: 1n, max: 10n ** 16n });

describe("every quote", () => {
  it("splits the source amount exactly and gives no more than the rate does", () => {
    fc.assert(
      fc.property(anyTerms, anyMinor, (terms, source) => {
        const amounts = quoteFixedSource(terms, source);
        if (isRefused(amounts)) return;
        expect(amounts.converted + amounts.fees).toBe(source);
        expect(worth(terms, amounts.converted, amounts.receiving)).toBe("covers");
        expect(worth(terms, amounts.converted, amounts.receiving + 1n)).toBe("short");
      }),
    );
  });

  it("of a fixed target delivers it exactly, for the least that covers it", () => {
    fc.assert(
      fc.property(anyTerms, anyMinor, (terms, receiving) => {
        const amounts = quoteFixedTarget(terms, receiving);
        if (isRefused(amounts)) return;
        expect(amounts.receiving).toBe(receiving);
        expect(amounts.converted + amounts.fees).toBe(amounts.source);
        const sent = quoteFixedSource(terms, amounts.source);
        expect(isRefused(sent) || sent.receiving >= receiving).toBe(true);
        if (amounts.source === 1n) return;
        const less = quoteFixedSource(terms, amounts.source - 1n);
        expect(isRefused(less) || less.converted < amounts.converted).toBe(true);
      }),
    );
  });
});

/** Whether `converted` at the rate is worth at least `receiving`, by cross-multiplication. */
function worth(terms: Terms, converted: bigint, receiving: bigint): "covers" | "short" {
  const inUnits = (minor: bigint, currency: string) => decimal(formatAmount(minor, currency));
  const from = inUnits(converted, terms.source);
  const to = inUnits(receiving, terms.destination);
  const product = { units: from.units * terms.rate.units, scale: from.scale + terms.rate.scale };
  const left = product.units * 10n ** BigInt(to.scale);
  const right = to.units * 10n ** BigInt(product.scale);
  return left >= right ? "covers" : "short";
}

it("writes a rate as it was set", () => {
  expect(formatDecimal(decimal("83.1234567891"))).toBe("83.1234567891");
});
