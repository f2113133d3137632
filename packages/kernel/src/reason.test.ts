import { expect, it } from "vitest";
import { readReason } from "./reason.ts";

const refusal = {
  refused: "INVALID_REQUEST",
  detail: "reason: must be 10 to 1000 printable characters",
};

it.each([10, 1_000])("accepts a reason of %i characters, cleaned", (length) => {
  expect(readReason(` ${"x".repeat(length)} `)).toBe("x".repeat(length));
});

it.each(["x".repeat(9), "x".repeat(1_001), "a reason\u0000 of control", ""])(
  "refuses %j",
  (text) => {
    expect(readReason(text)).toEqual(refusal);
  },
);

it("names the field that it refuses", () => {
  expect(readReason("short", "note")).toMatchObject({
    detail: "note: must be 10 to 1000 printable characters",
  });
});
