import { expect, it } from "vitest";
import { nearest } from "./nearest.ts";

it.each([
  ["merchnat", "merchant"],
  ["mechant", "merchant"],
  ["Fee_Flat", "fee_flat"],
  ["fee_flta", "fee_flat"],
  ["xy", undefined],
  ["", undefined],
])("the nearest of %j is %j", (name, expected) => {
  expect(nearest(name, ["merchant", "fee_flat", "rate"])).toBe(expected);
});
