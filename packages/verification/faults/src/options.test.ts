import { UsageError } from "@disburse/harness/command-line.ts";
import { expect, it } from "vitest";
import { readOptions } from "./options.ts";

const names = ["kills", "races"];

it("tries as often as the design says by default", () => {
  const whole = { kills: 1_000, seeds: 20, seed: 1, races: 2_000, perPoint: 20 };
  expect(readOptions([], names)).toEqual({ ...whole, only: new Set() });
  const args = ["--kills", "5", "--only", "kills", "--only", "races", "--per-point", "2"];
  const asked = { ...whole, kills: 5, perPoint: 2, only: new Set(names) };
  expect(readOptions(args, names)).toEqual(asked);
});

it.each([["--kills", "0"], ["--seeds", "many"], ["--races", "1.5"], ["--only", "x"], ["--what"]])(
  "refuses %s %s",
  (...args) => {
    expect(() => readOptions(args, names)).toThrow(UsageError);
  },
);
