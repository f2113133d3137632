import { expect, it } from "vitest";
import { rateBounds, ratePoints } from "./rate-points.ts";

it("sorts by time and keeps the rate in force of equal times", () => {
  const history = [
    { rate: "1.20", asOf: "2026-03-02T00:00:00Z" },
    { rate: "1.1", asOf: "2026-03-02T00:00:00Z" },
    { rate: "1.05", asOf: "2026-03-01T00:00:00Z" },
  ];
  const points = ratePoints(history, Date.parse("2026-03-02T00:00:00Z"));
  expect(points.map(({ text, value }) => [text, value])).toEqual([
    ["1.05", 1.05],
    ["1.20", 1.2],
  ]);
  expect(rateBounds(points)).toEqual({ lowest: "1.05", highest: "1.20" });
  expect(rateBounds(ratePoints([], 0))).toBeUndefined();
  const now = Date.parse("2026-03-03T00:00:00Z");
  expect(ratePoints(history, now).at(-1)).toEqual({ at: now, value: 1.2, text: "1.20" });
});
