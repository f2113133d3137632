import { describe, expect, it } from "vitest";
import { countProblems, renewed } from "./operation-counts.ts";

const of = { section: "one client", operation: "quote" };
const bounded = { bytes: "writes may share a command" };
const table = { "one client": { quote: { hops: 2, bytes: { most: 1_000 } } } };
const problems = (found: Readonly<Record<string, number>>) =>
  countProblems({ ...of, found, bounded }, table);

describe("countProblems", () => {
  it("finds none in a run that is like the table", () => {
    expect(problems({ hops: 2, bytes: 1_000 })).toEqual([]);
    expect(problems({ hops: 2, bytes: 700 })).toEqual([]);
  });

  it.each([
    ["a count that rose", { hops: 3, bytes: 900 }, "hops rose from 2 to 3"],
    ["a count that fell", { hops: 1, bytes: 900 }, "hops fell from 2 to 1"],
    ["a count that is no number", { hops: Number.NaN, bytes: 900 }, "hops fell from 2 to NaN"],
    ["more than a bound", { hops: 2, bytes: 1_001 }, "bytes rose above 1000, to 1001 (bounded: "],
    ["far less than a bound", { hops: 2, bytes: 699 }, "bytes fell far below its bound of 1000"],
    ["a bound that is no number", { hops: 2, bytes: Number.NaN }, "bytes fell far below"],
    ["a measure that is gone", { bytes: 900 }, "hops is not on both sides"],
    ["a new measure", { hops: 2, bytes: 900, reads: 1 }, "reads is not on both sides"],
  ])("names %s", (_what, found, problem) => {
    expect(problems(found)).toEqual([expect.stringContaining(problem)]);
  });

  it("names an operation that is not in the table", () => {
    const counted = { ...of, operation: "execute", found: { hops: 2 } };
    expect(countProblems(counted, table)).toEqual(["hops is not on both sides"]);
  });

  it("names a bound in the table for which the test has no reason", () => {
    const counted = { ...of, found: { hops: 2, bytes: 900 } };
    expect(countProblems(counted, table)).toEqual(["bytes has a bound without a reason"]);
  });
});

describe("renewed", () => {
  it("takes the least of each measure: noise of one run does not raise the table", () => {
    const tries = [
      { hops: 2, bytes: 111_784 },
      { hops: 3, bytes: 41_779 },
      { hops: 2, bytes: 43_000 },
    ];
    const renewal = renewed(
      table,
      tries.map((found) => ({ ...of, found, bounded })),
    );
    expect(renewal).toEqual({ "one client": { quote: { hops: 2, bytes: { most: 48_046 } } } });
  });

  it("leaves all other operations", () => {
    const counted = { section: "64 clients", operation: "quote", found: { commands: 1 } };
    const other = { "64 clients": { quote: { commands: 1 } } };
    expect(renewed(table, [counted])).toEqual({ ...table, ...other });
  });
});
