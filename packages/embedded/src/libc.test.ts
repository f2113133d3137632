import { expect, test } from "vitest";
import { isSupportedGlibc } from "./libc.ts";

test.each([
  ["2.37", false],
  ["2.38", true],
  ["2.41", true],
  ["2.4", false],
  ["1.99", false],
  ["3.0", true],
])("glibc %s runs the engine: %s", (version, enough) => {
  expect(isSupportedGlibc(version)).toBe(enough);
});
