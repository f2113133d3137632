import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyedNumbers, numberList, topPositions } from "./flat-tables.ts";

/** Few keys, including negative ones, so that keys and their low bits repeat. */
const items = fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer()), {
  maxLength: 40,
});

function collected(pairs: readonly (readonly [number, number])[]) {
  const numbers = keyedNumbers();
  for (const [key, value] of pairs) numbers.add(key, value);
  return numbers;
}

const under = (pairs: readonly (readonly [number, number])[], key: number): number[] =>
  pairs.filter(([each]) => each === key).map(([, value]) => value);

it("a list of numbers keeps each one as it grows", () => {
  const list = numberList();
  const numbers = Array.from({ length: 5_000 }, (_each, at) => at * 3);
  for (const number of numbers) list.push(number);
  expect([...list.values()]).toEqual(numbers);
  expect([list.at(0), list.at(4_999), list.at(10_000)]).toEqual([0, 14_997, 0]);
});

it("a table has the numbers of each key, and of no other", () => {
  const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
  fc.assert(
    fc.property(items, (pairs) => {
      const table = collected(pairs).table();
      for (let key = -21; key <= 21; key += 1) {
        const found: number[] = [];
        table.forEach(key, (value) => found.push(value));
        expect(inOrder(found)).toEqual(inOrder(under(pairs, key)));
      }
    }),
  );
});

it("rows have the numbers of each key in their order", () => {
  fc.assert(
    fc.property(items, (pairs) => {
      const positive = pairs.map(([key, value]) => [Math.abs(key), value] as const);
      const rows = collected(positive).rows(21);
      for (let key = 0; key <= 20; key += 1) {
        const expected = under(positive, key);
        expect([...rows.row(key)]).toEqual(expected);
        expect(rows.lengthOf(key)).toBe(expected.length);
        expect(expected.map((_, position) => rows.at(key, position))).toEqual(expected);
        for (const [, value] of positive) {
          expect(rows.has(key, value)).toBe(expected.includes(value));
        }
      }
    }),
  );
});

describe("the positions with the highest scores", () => {
  const binCount = 256;
  const cases = fc.record({
    /** Scores close to each other and far apart, each with a size. */
    ranked: fc.array(
      fc.record({
        score: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 2_000 })),
        size: fc.integer({ min: 1, max: 4 }),
        isCandidate: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
    count: fc.integer({ min: 1, max: 20 }),
    most: fc.integer({ min: 0, max: 30 }),
  });

  it("are those of the highest bins, then of the smallest sizes, with those tied to the last", () => {
    fc.assert(
      fc.property(cases, ({ ranked, count, most }) => {
        const positions = [...ranked.keys()].filter((at) => ranked[at]?.isCandidate);
        const scores = Float32Array.from(ranked, ({ score }) => score);
        const sizeOf = (position: number) => ranked[position]?.size ?? 0;
        const found = topPositions(positions, scores, { count, most }, sizeOf);

        const top = Math.max(...positions.map((at) => scores[at] ?? 0));
        /** Ranks a position; lower is better. */
        const rank = (at: number) => {
          const bin = Math.min(binCount - 1, Math.floor(((scores[at] ?? 0) / top) * binCount));
          return (binCount - bin) * 10 + sizeOf(at);
        };
        const ranks = positions.map(rank).toSorted((a, b) => a - b);
        const last = ranks[count - 1] ?? Number.POSITIVE_INFINITY;
        const kept = Math.min(Math.max(count, most), ranks.filter((each) => each <= last).length);
        expect(new Set(found).size).toBe(found.length);
        expect(found.map(rank).toSorted((a, b) => a - b)).toEqual(ranks.slice(0, kept));
      }),
      { numRuns: 1_000 },
    );
  });
});
