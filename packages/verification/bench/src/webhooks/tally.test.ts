import { expect, test } from "vitest";
import type { Receipts } from "./receiver-process.ts";
import { backAfterMs, outcomeOf, rateBetween } from "./tally.ts";

const receipts = (entries: readonly (readonly [number, number])[], more = {}): Receipts => ({
  firstAtMs: new Map(entries),
  duplicates: 0,
  misrouted: 0,
  ...more,
});

test("counts an event's time from when it should have been published", () => {
  const plan = { startsAtMs: 1_000, everyMs: 5, expected: [0, 1, 2] };
  const came = receipts([
    [2, 1_040],
    [0, 1_012],
    [1, 1_006],
  ]);
  expect(outcomeOf(plan, came)).toEqual({
    samples: [
      { dueAtMs: 1_000, latencyMs: 12 },
      { dueAtMs: 1_005, latencyMs: 1 },
      { dueAtMs: 1_010, latencyMs: 30 },
    ],
    lost: 0,
    duplicates: 0,
    misrouted: 0,
  });
});

test("counts what has not come, and nothing that was not to come", () => {
  const plan = { startsAtMs: 0, everyMs: 5, expected: [0, 2, 4] };
  const came = receipts(
    [
      [0, 9],
      [3, 17],
    ],
    { duplicates: 2, misrouted: 1 },
  );
  expect(outcomeOf(plan, came)).toMatchObject({ lost: 2, duplicates: 2, misrouted: 1 });
});

test("counts receivers from the beginning of a time to before its end", () => {
  const came = receipts([
    [0, 999],
    [1, 1_000],
    [2, 2_999],
    [3, 3_000],
  ]);
  expect(rateBetween(came, 1_000, 3_000)).toBe(1);
});

/** Four events a second, of which in the given seconds all are slow. */
const samplesWith = (slowSeconds: readonly number[], seconds: number) =>
  Array.from({ length: seconds * 4 + 1 }, (_, at) => {
    const dueAtMs = at * 250;
    return { dueAtMs, latencyMs: slowSeconds.includes(Math.floor(dueAtMs / 1_000)) ? 90 : 10 };
  });

test.each([
  ["at once", [], 5, 0],
  ["after the slow ones", [0, 1], 5, 2_000],
  ["not between slow ones", [0, 3], 7, 4_000],
  ["never", [0, 3], 6, undefined],
])("is back %s", (_name, slow, seconds, back) => {
  expect(backAfterMs(samplesWith(slow, seconds), 0, 50)).toBe(back);
});

test("one slow event in a second does not count, two do", () => {
  const samples = samplesWith([], 4);
  const slowed = (numbers: readonly number[]) =>
    samples.map((each, at) => (numbers.includes(at) ? { ...each, latencyMs: 90 } : each));
  expect(backAfterMs(slowed([1]), 0, 50)).toBe(0);
  expect(backAfterMs(slowed([1, 2]), 0, 50)).toBe(1_000);
});
