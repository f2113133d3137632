import { expect, it } from "vitest";
import { addsUp, compareStatement, dayBefore, dayOf, missingFor, readDay } from "./day.ts";

it.each<[string, bigint, bigint, bigint, bigint, bigint]>([
  ["the same", 100n, 0n, 100n, 0n, 0n],
  ["the bank has more", 100n, 30n, 101n, 1n, 1n],
  ["a payout under way is debited already", 100n, 30n, 70n, -30n, 0n],
  ["a part of what is held is debited", 100n, 30n, 99n, -1n, 0n],
  ["more is gone than was under way", 100n, 30n, 69n, -31n, -1n],
  ["nothing was under way", 100n, 0n, 99n, -1n, -1n],
  ["overdrawn by the same", -5n, 0n, -5n, 0n, 0n],
])("%s", (_what, closing, held, statement, difference, unexplained) => {
  expect(compareStatement({ closing, held }, statement)).toEqual({ difference, unexplained });
});

it("a day's movements lead from its opening to its closing", () => {
  const day = { opening: 10n, funded: 100n, swept: 20n, paid: 30n, returned: 5n, charges: 1n };
  expect(addsUp({ ...day, closing: 64n, held: 0n })).toBe(true);
  expect(addsUp({ ...day, closing: 63n, held: 0n })).toBe(false);
});

it.each([
  ["2026-11-21", true],
  ["2024-02-29", true],
  ["2026-02-29", false],
  ["2026-1-1", false],
  ["2026-11-21T00", false],
  ["", false],
])("%s is a day: %s", (text, isDay) => {
  const day = readDay(text);
  expect(day !== undefined).toBe(isDay);
  if (day === undefined) return;
  expect(day.to.getTime() - day.from.getTime()).toBe(86_400_000);
  expect(dayOf(day.from)).toBe(text);
  expect(dayBefore(day.to)).toBe(text);
});

it.each([
  [0n, -5n, 0n],
  [10n, 10n, 0n],
  [10n, 9n, 1n],
  [10n, 11n, 0n],
  [10n, -5n, 15n],
])("of %d that wait with %d available, %d is missing", (waiting, available, missing) => {
  expect(missingFor(waiting, available)).toBe(missing);
});
