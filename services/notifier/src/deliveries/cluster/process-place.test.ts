import { expect, it } from "vitest";
import { processPlace } from "./ownership.ts";

it("is the same after a restart at a port, and of one process alone without", () => {
  expect(processPlace("a", 9_000)).toBe(processPlace("a", 9_000));
  expect(processPlace("a", 9_000)).not.toBe(processPlace("b", 9_000));
  expect(processPlace("a", 0)).not.toBe(processPlace("a", 0));
});
