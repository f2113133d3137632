import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ask, allowedAt, exceeded, type Limit, type Part, windowMs } from "./window.ts";

const hour = windowMs.hour;
const at = (ms: number) => new Date(ms);
const usd = (ms: number, amount: bigint, count = 1): Part => ({
  ...{ at: at(ms), currency: "USD", count, amount },
});
const ask: Ask = { currency: "USD", amount: 100n };

describe("the time from which a limit allows a payout", () => {
  const now = at(10 * hour);
  it.each<[string, Limit, Part[], Date | "never"]>([
    ["nothing used", { window: "hour", max: 1n }, [], now],
    ["no payout allowed", { window: "hour", max: 0n }, [], "never"],
    ["a count that is full", { window: "hour", max: 1n }, [usd(9.5 * hour, 1n)], at(10.5 * hour)],
    ["a payout an hour ago", { window: "hour", max: 1n }, [usd(9 * hour, 1n)], now],
    [
      "a payout a millisecond less than an hour ago",
      { window: "hour", max: 1n },
      [usd(9 * hour + 1, 1n)],
      at(10 * hour + 1),
    ],
    ["the same within a day", { window: "day", max: 1n }, [usd(9 * hour, 1n)], at(33 * hour)],
    ["an amount that just fits", amountLimit("USD", 150n), [usd(9.5 * hour, 50n)], now],
    [
      "an amount that is a unit too large",
      amountLimit("USD", 150n),
      [usd(9.5 * hour, 51n)],
      at(10.5 * hour),
    ],
    ["an amount that is too large by itself", amountLimit("USD", 99n), [], "never"],
    ["an amount of another currency", amountLimit("INR", 1n), [usd(9.5 * hour, 9n)], now],
    [
      "amounts of two currencies",
      amountLimit("USD", 100n),
      [{ ...usd(9.5 * hour, 999n), currency: "INR" }],
      now,
    ],
    [
      "two of three that have to leave",
      { window: "hour", max: 2n },
      [usd(9.2 * hour, 1n), usd(9.4 * hour, 1n), usd(9.6 * hour, 1n)],
      at(10.4 * hour),
    ],
    ["a sum of several", { window: "hour", max: 3n }, [usd(9.5 * hour, 9n, 3)], at(10.5 * hour)],
  ])("after %s", (_what, limit, parts, expected) => {
    expect(allowedAt(parts, limit, ask, now)).toEqual(expected);
  });

  it("names the limit that blocks for the longest time", () => {
    const parts = [usd(9.5 * hour, 100n)];
    const limits: Limit[] = [
      { window: "hour", max: 1n },
      { window: "day", currency: "USD", max: 150n },
    ];
    expect(exceeded(parts, limits, ask, now)).toEqual({
      limit: limits[1],
      allowedAt: at(33.5 * hour),
    });
    const never = { window: "hour", currency: "USD", max: 1n } as const;
    expect(exceeded(parts, [...limits, never], ask, now)?.allowedAt).toBe("never");
    expect(exceeded([], limits, ask, now)).toBeUndefined();
  });
});

function amountLimit(currency: string, max: bigint): Limit {
  return { window: "hour", currency, max };
}

describe("any parts and limit", () => {
  const currency = fc.constantFrom("USD", "INR");
  const part = fc.record({
    at: fc.nat(30 * hour).map(at),
    currency,
    count: fc.integer({ min: 1, max: 3 }),
    amount: fc.bigInt({ min: 1n, max: 50n }),
  });
  const limit: fc.Arbitrary<Limit> = fc.record(
    {
      window: fc.constantFrom("hour" as const, "day" as const),
      currency,
      max: fc.bigInt({ min: 0n, max: 120n }),
    },
    { requiredKeys: ["window", "max"] },
  );
  const parts = fc
    .array(part, { maxLength: 12 })
    .map((some) => some.toSorted((a, b) => a.at.getTime() - b.at.getTime()));

  /** The usage of a limit at a time, as a plain sum. */
  const used = (some: readonly Part[], { window, ...of }: Limit, time: number) =>
    some
      .filter((each) => each.at.getTime() > time - windowMs[window])
      .filter((each) => of.currency === undefined || each.currency === of.currency)
      .reduce(
        (sum, each) => sum + (of.currency === undefined ? BigInt(each.count) : each.amount),
        0n,
      );

  it("allows the payout at the returned time, and not a millisecond before", () => {
    fc.assert(
      fc.property(
        parts,
        limit,
        currency,
        fc.bigInt({ min: 1n, max: 60n }),
        (some, rule, of, amount) => {
          const now = some.at(-1)?.at ?? at(0);
          const found = allowedAt(some, rule, { currency: of, amount }, now);
          const isOther = rule.currency !== undefined && rule.currency !== of;
          const own = rule.currency === undefined ? 1n : amount;
          if (isOther || own > rule.max) {
            expect(found).toBe(isOther ? now : "never");
            return;
          }
          const time = (found as Date).getTime();
          expect(used(some, rule, time) + own <= rule.max).toBe(true);
          if (found !== now) expect(used(some, rule, time - 1) + own > rule.max).toBe(true);
        },
      ),
    );
  });
});
