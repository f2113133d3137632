import { expect, it } from "vitest";
import { nextAttemptAt, party, pendingScreening, screeningResult } from "./screening.ts";

const now = new Date("2026-11-20T11:26:00.000Z");

it.each([
  [1, 2_000, 2_000],
  [2, 2_000, 4_000],
  [4, 2_000, 16_000],
  [5, 2_000, 30_000],
  [500, 2_000, 30_000],
  [1, 60_000, 60_000],
  [9, 60_000, 60_000],
])("attempt %i at an interval of %i ms is followed after %i ms", (attempts, everyMs, afterMs) => {
  const at = nextAttemptAt(attempts, now, everyMs);
  expect(at.getTime() - now.getTime()).toBe(afterMs);
});

it("counts the creation's own attempt as the first", () => {
  const nextAt = new Date(now.getTime() + 2_000);
  expect(pendingScreening(now, 2_000)).toEqual({ status: "pending", attempts: 1, nextAt });
});

it.each([
  ["clear", "cleared"],
  ["review", "review"],
  ["block", "blocked"],
] as const)("a verdict of %s makes it %s", (verdict, status) => {
  const result = screeningResult(verdict, "scr_1", now);
  expect(result).toEqual({ status, screeningId: "scr_1", screenedAt: now });
});

it("joins a party's full name, without unknown parts", () => {
  const known = { date: "", countries: ["US", "", "US", "GB"], documentIds: [""] };
  expect(party("entity", "𝒥".repeat(511), known)).toEqual({
    type: "entity",
    name: "𝒥".repeat(511),
    date: "",
    countries: ["US", "GB"],
    documentIds: [],
  });
});
