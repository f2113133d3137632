import { expect, test } from "vitest";
import {
  commandsBetween,
  commandTotal,
  scaledCounts,
  usageBetween,
  wholeCommands,
} from "./counters.ts";

test("counts what ran in between, less what runs idle anyway", () => {
  const before = { find: 10, insert: 5 };
  const after = { find: 40, insert: 5, update: 7, aggregate: 1 };
  const idle = { find: 3, aggregate: 2 };
  expect(commandsBetween(before, after, idle)).toEqual({ find: 27, update: 7 });
});

test("scales and adds up", () => {
  expect(scaledCounts({ find: 10, insert: 4 }, 0.5)).toEqual({ find: 5, insert: 2 });
  expect(commandTotal({ find: 5, insert: 2 })).toBe(7);
  expect(commandTotal({})).toBe(0);
});

test("makes whole commands of parts", () => {
  expect(wholeCommands({ find: 2.2, insert: 0.5, update: 0.4 })).toEqual([
    "find",
    "find",
    "insert",
  ]);
});

test("takes from CPU time and document writes what an idle platform has of both", () => {
  const before = { atMs: 1_000, cpu: { engine: 500, broker: undefined }, commands: {}, writes: 10 };
  const after = { atMs: 3_000, cpu: { engine: 900, broker: 7 }, commands: {}, writes: 60 };
  const idle = { elapsedMs: 1_000, cpu: { engine: 50 }, commands: {}, writes: 5 };
  expect(usageBetween(before, after, idle)).toMatchObject({
    elapsedMs: 2_000,
    cpu: { engine: 300, broker: undefined },
    writes: 40,
  });
});
