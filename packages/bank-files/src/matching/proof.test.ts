import { expect, it } from "vitest";
import { speaksOfDuplicate } from "./proof.ts";

it.each([
  ["Paid before", true],
  ["Account closed", false],
])("reads a reason that many payments share once: %s", (words, expected) => {
  let reads = 0;
  const reason = {
    get text() {
      reads += 1;
      return words;
    },
  };
  for (let times = 0; times < 3; times += 1) expect(speaksOfDuplicate(reason)).toBe(expected);
  expect(reads).toBe(1);
});
