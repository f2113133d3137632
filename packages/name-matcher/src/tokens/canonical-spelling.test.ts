import { describe, expect, it } from "vitest";
import { canonicalSpelling, concatSpellings, consonantSkeleton } from "./canonical-spelling.ts";

describe("canonicalSpelling", () => {
  it.each([
    ["yuri", "iurii", "yury"],
    ["aleksey", "alexei", "aleksej"],
    ["zelenskyy", "zelenskiy", "zelensky"],
    ["smirnov", "smirnoff", "smirnow"],
    ["khrypach", "chrypac", "khrypatj"],
    ["evseev", "yevseev", "jevseev"],
    ["dzhabrail", "djabrail", "jabrail"],
    ["mohammed", "mohamed", "mohamedd"],
    ["rahma", "rahmah", "rahhma"],
    ["philip", "filip", "fillip"],
    ["awani", "aouani", "avani"],
    ["hsu", "xu", "su"],
    ["ivanov", "ivanou", "ivanoff"],
  ])("is one for %s, %s and %s", (one, ...others) => {
    for (const other of others) expect(canonicalSpelling(other)).toBe(canonicalSpelling(one));
  });

  it.each([
    ["petrov", "pavlov"],
    ["omar", "mario"],
    ["karim", "karima"],
    ["ivanov", "ivanova"],
  ])("keeps %s and %s apart", (one, other) => {
    expect(canonicalSpelling(one)).not.toBe(canonicalSpelling(other));
  });

  it("leaves something of every word", () => {
    for (const word of ["h", "y", "x", "ah", "oo", "7", "ъ"]) {
      expect(canonicalSpelling(word)).not.toBe("");
    }
  });
});

describe("consonantSkeleton", () => {
  it.each([
    ["muhamad", "mhmd"],
    ["mohamed", "mhmd"],
    ["iusuf", "asf"],
    ["ali", ""],
    ["", ""],
  ])("of %s is %j", (canonical, skeleton) => {
    expect(consonantSkeleton(canonical)).toBe(skeleton);
  });
});

describe("concatSpellings", () => {
  it.each([
    ["badr", "rasid", "badrasid"],
    ["abd", "ula", "abdula"],
  ])("of %s and %s is %s", (first, second, joined) => {
    expect(concatSpellings(first, second)).toBe(joined);
  });
});
