import { readFileSync } from "node:fs";
import { currencies, currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { formatAmount, parseAmount, readAmount } from "@disburse/kernel/money.ts";
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
  readFileSync(new URL("../../../../../docs/quote-vectors.json", import.meta.url), "utf8"),
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

const anyCurrency = fc.constantFrom(...currencies.map(({ code }) => code));
const anyTerms: fc.Arbitrary<Terms> = fc.record({
  source: anyCurrency,
  destination: anyCurrency,
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
  it("splits the source amount exactly and pays out no more than the rate allows", () => {
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

  it("with a fixed target delivers it exactly, for the smallest source amount", () => {
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

/** Digits that the database stores exactly: 15 before the decimal point and 18 after it fit. */
const digitsMax = 34;

describe("every quote of either kind", () => {
  const anyQuote = fc.tuple(anyTerms, anyMinor, fc.boolean());
  const quoted = ([terms, amount, fixesSource]: [Terms, bigint, boolean]) =>
    fixesSource ? quoteFixedSource(terms, amount) : quoteFixedTarget(terms, amount);
  const assertEach = (holds: (terms: Terms, amounts: Amounts) => void) =>
    fc.assert(
      fc.property(anyQuote, (each) => {
        const amounts = quoted(each);
        if (!isRefused(amounts)) holds(each[0], amounts);
      }),
    );

  it("takes the fee of its corridor, rounded up by less than one minor unit", () => {
    assertEach(({ fee: { share, flatMinor } }, { source, fees }) => {
      const whole = 10n ** BigInt(share.scale);
      const over = (fees - flatMinor) * whole - source * share.units;
      // A fixed target also rounds the source up, by at most one unit, which goes to the fee.
      expect(over >= 0n && over < 2n * whole).toBe(true);
    });
  });

  it("converts a positive amount that the database can store", () => {
    assertEach((terms, { source, fees, converted, receiving }) => {
      expect([source > 0n, converted > 0n, receiving > 0n, fees >= 0n]).not.toContain(false);
      for (const [amount, currency] of [
        [source, terms.source],
        [receiving, terms.destination],
      ] as const) {
        expect(amount.toString().length).toBeLessThanOrEqual(digitsMax);
        expect(parseAmount(formatAmount(amount, currency), currency)).toBe(amount);
      }
    });
  });

  it("is written with the decimals of its currencies, whichever two they are", () => {
    assertEach((terms, { source, receiving }) => {
      const decimals = (text: string) => text.split(".")[1]?.length ?? 0;
      const { decimals: of } = currencyOf(terms.source);
      expect(decimals(formatAmount(source, terms.source))).toBe(of);
      const { decimals: to } = currencyOf(terms.destination);
      expect(decimals(formatAmount(receiving, terms.destination))).toBe(to);
    });
  });

  it("pays out no less for a larger source amount", () => {
    fc.assert(
      fc.property(anyQuote, anyMinor, (each, more) => {
        const [terms, amount, fixesSource] = each;
        const [small, large] = [quoted(each), quoted([terms, amount + more, fixesSource])];
        if (isRefused(small) || isRefused(large)) return;
        expect(large.source >= small.source && large.receiving >= small.receiving).toBe(true);
        expect(large.fees >= small.fees && large.converted >= small.converted).toBe(true);
      }),
    );
  });

  it("with a fixed target costs no more than a fixed source of the same worth", () => {
    fc.assert(
      fc.property(anyTerms, anyMinor, (terms, source) => {
        const there = quoteFixedSource(terms, source);
        if (isRefused(there)) return;
        const back = quoteFixedTarget(terms, there.receiving);
        expect(isRefused(back) || back.source <= source).toBe(true);
      }),
    );
  });
});

describe("the bounds of a quote", () => {
  const fee = (flatMinor: bigint) => ({ share: { units: 0n, scale: 0 }, flatMinor });
  const terms = { source: "USD", destination: "INR", rate: { units: 1n, scale: 0 } };
  const most = 10n ** 17n - 1n;

  it.each<[string, Amounts | object, Partial<Amounts> | string]>([
    [
      "a unit more than the fees",
      quoteFixedSource({ ...terms, fee: fee(30n) }, 31n),
      {
        ...{ source: 31n, fees: 30n, converted: 1n, receiving: 1n },
      },
    ],
    [
      "no more than the fees",
      quoteFixedSource({ ...terms, fee: fee(30n) }, 30n),
      "source_amount: must cover the fees",
    ],
    [
      "as many digits as are kept",
      quoteFixedSource({ ...terms, fee: fee(0n) }, most),
      {
        ...{ source: most, fees: 0n, converted: most, receiving: most },
      },
    ],
    [
      "one more than can be kept",
      quoteFixedSource({ ...terms, fee: fee(1n) }, most + 1n),
      "source_amount: would be too large",
    ],
    [
      "what arrives as one too many",
      quoteFixedTarget({ ...terms, rate: { units: 2n, scale: 0 }, fee: fee(0n) }, most + 1n),
      "receiving_amount: would be too large",
    ],
  ])("hold for %s", (_what, amounts, expected) => {
    expect(amounts).toEqual(
      typeof expected === "string" ? { refused: "INVALID_REQUEST", detail: expected } : expected,
    );
  });
});

/** Compares `converted` at the rate with `receiving`, by cross-multiplication. */
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
