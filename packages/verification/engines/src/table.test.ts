import { expect, it } from "vitest";
import { allowedGaps, exceeded, tableOf } from "./table.ts";

it.each([
  ["planned", 0, 1, { newMs: 2_500, repeatingMs: 5_500 }],
  ["unplanned", 0, 1, { newMs: 15_000, repeatingMs: 18_000 }],
  ["unplanned", 8_000, 1, { newMs: 23_000, repeatingMs: 26_000 }],
  ["unplanned", 8_000, 2, { newMs: 38_000, repeatingMs: 44_000 }],
] as const)("bounds a gap after %s loss, %i ms away, slack %i", (loss, awayMs, slack, bounds) => {
  expect(allowedGaps(loss, awayMs, slack)).toEqual(bounds);
});

it("names each gap above its bound, and shows all in a table", () => {
  const allowed = { newMs: 2_500, repeatingMs: 5_500 };
  const gaps = { newMs: 2_500, repeatingMs: 9 };
  const row = { name: "step-down", requests: 40, allowed, gaps, longest: "/quotes, begun" };
  expect(exceeded(row)).toEqual([]);
  const late = { ...row, gaps: { newMs: 2_600, repeatingMs: 61_000 } };
  expect(exceeded(late)).toEqual([
    "a new request waited 2.6 s, not 2.5 s",
    "a repeating request waited 61 s, not 5.5 s: /quotes, begun",
  ]);
  expect(tableOf([late])).toEqual([
    "fault                     requests  new: s (allowed)  repeating: s (allowed)",
    "step-down                 40        2.6 (2.5)         61 (5.5)",
  ]);
});
