import { expect, it } from "vitest";
import { provenBy } from "./proof.ts";

it.each([
  ["Paid before", "rejected-as-duplicate"],
  ["Account closed", "rejected-without-proof"],
])("searches a reason that many payments share once: %s", (words, expected) => {
  let reads = 0;
  const reason = {
    get text() {
      reads += 1;
      return words;
    },
  };
  for (let times = 0; times < 3; times += 1) {
    expect(provenBy([reason], new Set())).toBe(expected);
  }
  expect(reads).toBe(1);
});
