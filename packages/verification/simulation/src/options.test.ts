import { UsageError } from "@disburse/harness/command-line.ts";
import { expect, it } from "vitest";
import { readCommand } from "./options.ts";

it("runs 10,000 seeds by default, so many as are given, or one again", () => {
  expect(readCommand([])).toEqual({ kind: "many", first: 1, seeds: 10_000 });
  const some = readCommand(["--seeds", "500", "--first", "7"]);
  expect(some).toEqual({ kind: "many", first: 7, seeds: 500 });
  expect(readCommand(["--seed", "4711"])).toEqual({ kind: "replay", seed: 4_711 });
});

it.each([["--seeds", "0"], ["--seed", "x"], ["--first", "1.5"], ["--what"]])(
  "refuses %s %s",
  (...args) => {
    expect(() => readCommand(args)).toThrow(UsageError);
  },
);
