import { expect, it } from "vitest";
import { batchSize, retryAfterMs } from "./repair.ts";

it("retries after 30 s, doubling up to an hour", () => {
  expect([1, 2, 3, 7, 8, 9, 2_000].map(retryAfterMs)).toEqual([
    ...[30_000, 60_000, 120_000, 1_920_000],
    ...[3_600_000, 3_600_000, 3_600_000],
  ]);
});

it("repairs a gap that failed twice alone", () => {
  expect([0, 1, 2, 3, 50].map(batchSize)).toEqual([100, 10, 1, 1, 1]);
});
