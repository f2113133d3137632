import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkAfterMs,
  count,
  dueAt,
  giveBack,
  giveUp,
  partsOf,
  type ReservationOutcome,
  type ReservationRequest,
  reserve,
  settle,
  singleMax,
  type Usage,
  unused,
} from "./usage.ts";
import { type Limit, windowMs } from "./window.ts";

const start = Date.parse("2026-11-23T10:00:00Z");
const at = (ms: number) => new Date(start + ms);
const request = (payoutId: string, amount = 100n): ReservationRequest => ({
  ...{ payoutId, amount, currency: "USD", quoteId: `qt_${payoutId}`, accountId: "acc_1" },
});
const two: Limit[] = [{ window: "hour", max: 2n }];

/** Reserves one after the other; all are within the limits. */
function after(...reserved: readonly [string, number][]): Usage {
  return reserved.reduce((usage, [payoutId, ms]) => {
    const made = reserve(usage, two, request(payoutId), at(ms));
    expect(made.answer).toBe("reserved");
    return made.usage;
  }, unused);
}

describe("a payout that is counted", () => {
  it("finds those before it, also when it is counted again after others", () => {
    const first = count(unused, request("a"), at(0));
    const second = count(first.usage, request("b"), at(1));
    expect([first.answer.earlier, first.answer.at]).toEqual([[], at(0)]);
    expect(second.answer.earlier).toMatchObject([{ payoutId: "a", amount: 100n }]);
    const again = count(second.usage, request("a"), at(2));
    expect(again.answer).toEqual(first.answer);
    expect(ids(again.usage)).toEqual(["a", "b"]);
  });

  it("stays counted until its last try was refused, or it failed", () => {
    const once = count(unused, request("a"), at(0)).usage;
    const twice = count(once, request("a"), at(1)).usage;
    expect(ids(giveUp(twice, "a"))).toEqual(["a"]);
    expect(ids(giveUp(giveUp(twice, "a"), "a"))).toEqual([]);
    expect(ids(giveBack(twice, "a"))).toEqual([]);
  });
});

const ids = (usage: Usage) => usage.reservations.map(({ payoutId }) => payoutId);

describe("a reservation", () => {
  it("is refused beyond a limit and leaves no trace", () => {
    const full = after(["a", 0], ["b", 1]);
    const refused = reserve(full, two, request("c"), at(2));
    expect(refused.usage).toBe(full);
    expect(refused.answer).toEqual({ limit: two[0], allowedAt: at(windowMs.hour) });
    expect(reserve(full, two, request("c"), at(windowMs.hour)).answer).toBe("reserved");
  });

  it("is created once: a repeat joins it, even if the limit is full or lower now", () => {
    const full = after(["a", 0], ["b", 1]);
    const again = reserve(full, [{ window: "hour", max: 0n }], request("a"), at(2));
    expect(again.answer).toBe("reserved");
    expect(partsOf(again.usage)).toHaveLength(2);
  });

  it("is given up with the last execute that relies on it", () => {
    const joined = reserve(after(["a", 0]), two, request("a"), at(1)).usage;
    const one = giveUp(joined, "a");
    expect(ids(one)).toEqual(["a"]);
    expect(ids(giveUp(one, "a"))).toEqual([]);
    expect(giveUp(unused, "a")).toBe(unused);
  });

  it("is given back whole, once, however many executes relied on it", () => {
    const joined = reserve(after(["a", 0], ["b", 1]), two, request("a"), at(2)).usage;
    const given = giveBack(joined, "a");
    expect(ids(given)).toEqual(["b"]);
    expect(giveBack(given, "a")).toBe(given);
  });

  it("stays once its payout exists, whatever a late execute gives up", () => {
    const closed = settle(
      after(["a", 0]),
      new Map<string, ReservationOutcome>([["a", "exists"]]),
      at(5_000),
    );
    const late = reserve(closed, two, request("a"), at(6_000)).usage;
    expect(late).toBe(closed);
    expect(giveUp(late, "a")).toBe(closed);
  });

  it("is not placed before earlier ones when the clock is set back", () => {
    const usage = after(["a", 1_000], ["b", 0]);
    expect(usage.reservations.map((each) => each.at)).toEqual([at(1_000), at(1_000)]);
  });
});

describe("the sweep", () => {
  it("closes, releases or postpones reservations", () => {
    const usage = after(["a", 0], ["b", 1]);
    expect(dueAt(usage)).toEqual(at(checkAfterMs));
    const outcomes = new Map<string, ReservationOutcome>([
      ["a", "abandoned"],
      ["b", "undecided"],
    ]);
    const settled = settle(usage, outcomes, at(6_000));
    expect(ids(settled)).toEqual(["b"]);
    expect(dueAt(settled)).toEqual(at(6_000 + checkAfterMs));
    const closed = settle(settled, new Map([["b", "exists"]]), at(12_000));
    expect(dueAt(closed)).toEqual(at(1 + windowMs.day));
  });

  it("removes parts outside every window, and then has nothing to check", () => {
    const usage = after(["a", 0]);
    expect(ids(settle(usage, new Map(), at(windowMs.day - 1)))).toEqual(["a"]);
    expect(dueAt(settle(usage, new Map(), at(windowMs.day)))).toBeUndefined();
  });
});

it("adds up the oldest reservations beyond those that are kept one by one", () => {
  const many: Limit[] = [{ window: "day", currency: "USD", max: 10n ** 9n }];
  let usage = unused;
  const count = singleMax + 700;
  for (let n = 0; n < count; n += 1) {
    usage = reserve(usage, many, request(`p${n}`, BigInt(n)), at(n * 1_000)).usage;
  }
  expect(usage.reservations).toHaveLength(singleMax);
  expect(usage.sums.length).toBeLessThan(5);
  const parts = partsOf(usage);
  expect(parts.reduce((sum, each) => sum + each.count, 0)).toBe(count);
  const amount = BigInt((count * (count - 1)) / 2);
  expect(parts.reduce((sum, each) => sum + each.amount, 0n)).toBe(amount);
  expect(parts.map((each) => each.at.getTime())).toEqual(
    parts.map((each) => each.at.getTime()).toSorted((a, b) => a - b),
  );
});

describe("any run of executes", () => {
  const step = fc.record({
    kind: fc.constantFrom("reserve", "reserve", "reserve", "giveUp", "giveBack", "settle"),
    payout: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
    waitMs: fc.nat(windowMs.hour / 2),
    amount: fc.bigInt({ min: 1n, max: 80n }),
  });
  const limits: Limit[] = [
    { window: "hour", max: 3n },
    { window: "day", max: 6n },
    { window: "hour", currency: "USD", max: 150n },
  ];

  it("never has more in a window than its limit, and counts each payout once", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let usage = unused;
        let now = start;
        for (const { kind, payout, waitMs, amount } of steps) {
          now += waitMs;
          const time = new Date(now);
          if (kind === "reserve")
            usage = reserve(usage, limits, request(payout, amount), time).usage;
          if (kind === "giveUp") usage = giveUp(usage, payout);
          if (kind === "giveBack") usage = giveBack(usage, payout);
          if (kind === "settle") usage = settle(usage, new Map([[payout, "exists"]]), time);
          expect(new Set(ids(usage)).size).toBe(ids(usage).length);
          for (const { window, currency, max } of limits) {
            const within = partsOf(usage).filter(
              (each) => each.at.getTime() > now - windowMs[window],
            );
            const sum = within.reduce(
              (total, each) => total + (currency === undefined ? 1n : each.amount),
              0n,
            );
            expect(sum <= max).toBe(true);
          }
        }
      }),
    );
  });
});
