import { expect, test } from "vitest";
import { runsOf } from "./polls.ts";

const [step, query] = [1, 3];
const entry = (kind: number, detail: string, at: number) => {
  return { kind, stage: "unknown", detail, rail: "bank", at };
};

test("joins neighbouring polls with the same response, and nothing else", () => {
  const entries = [
    entry(step, "submitted", 1),
    entry(query, "unknown", 2),
    entry(query, "unknown", 3),
    entry(query, "settled", 4),
    entry(query, "unknown", 5),
    entry(step, "waits", 6),
    entry(step, "waits", 7),
  ];
  const runs = runsOf(entries, query).map(({ entry: { at }, last, count }) => [at, last.at, count]);
  expect(runs).toEqual([
    [1, 1, 1],
    [2, 3, 2],
    [4, 4, 1],
    [5, 5, 1],
    [6, 6, 1],
    [7, 7, 1],
  ]);
});
