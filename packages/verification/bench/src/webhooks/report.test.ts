import { expect, test } from "vitest";
import { figuresOf } from "./figures.ts";
import { isMet, restReport, webhookReport } from "./report.ts";

test.each([
  ["A", { p50_ms: 20, p99_ms: 150 }, true],
  ["A", { p50_ms: 20.1, p99_ms: 150 }, false],
  ["B", { per_s: 1_000, floor_ratio: 0.2 }, true],
  ["B", { per_s: 1_000, floor_ratio: 0.19 }, false],
  ["C", { p99_to_a: 1.5 }, true],
  ["D", { p99_to_a: 1.51 }, false],
  ["E", { per_s: 700, p99_to_a: 2 }, true],
  ["E", { per_s: 699, p99_to_a: 2 }, false],
  ["F", { duplicates: 3, in_flight: 3, back_after_s: 20 }, true],
  ["F", { duplicates: 4, in_flight: 3, back_after_s: 2 }, false],
  ["F", { lost: 1, in_flight: 3, back_after_s: 2 }, false],
  ["F", { in_flight: 3, back_after_s: null }, false],
] as const)("%s with %j has reached its target: %s", (name, given, met) => {
  expect(isMet(name, figuresOf(given))).toBe(met);
});

test("shows a figure that does not apply as none, beside the target", () => {
  const text = webhookReport({ A: figuresOf({ per_s: 200, p50_ms: 9.5, p99_ms: 200 }) });
  expect(text).toMatch(/A +200 +9.5 +200 +– +– +0 +0 +– +– +p50 ≤ 20, p99 ≤ 150 ms +MISSED/);
});

test("reports rest as parts of a core", () => {
  const usage = {
    elapsedMs: 4_000,
    cpu: { notifier: 80_000, broker: undefined },
    commands: { find: 6 },
    writes: 0,
  };
  expect(restReport(usage)).toBe(
    "  at rest: notifier 2, broker – % of a core; 1.5 MongoDB commands/s",
  );
});
