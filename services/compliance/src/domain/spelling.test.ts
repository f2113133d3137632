import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, soundKey } from "./spelling.ts";

describe("editDistance", () => {
  it.each([
    ["ivanov", "ivanov", 0],
    ["ivanov", "ivanof", 1],
    ["ivanov", "vanov", 1],
    ["ivanov", "xivanov", 1],
    ["ivanov", "vianov", 1],
    ["ivanov", "ivaonv", 1],
    ["ivanov", "petrov", 4],
    ["", "abc", 3],
  ])("%s and %s are %i apart", (a, b, distance) => {
    expect(editDistance(a, b, 10)).toBe(distance);
    expect(editDistance(b, a, 10)).toBe(distance);
  });

  it("tells no more than that a distance is above its limit", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 12 });
    fc.assert(
      fc.property(word, word, fc.nat(6), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 20), limit + 1));
      }),
    );
  });
});

describe("soundKey", () => {
  it.each([
    ["muhammad", "mohamed"],
    ["yousef", "yusuf"],
    ["khrushchev", "hrushchev"],
    ["viktorovich", "viktorovitj"],
    ["qasim", "kassem"],
  ])("is the same for %s and %s", (a, b) => {
    expect(soundKey(a)).toBe(soundKey(b));
    expect(soundKey(a)).not.toBe("");
  });

  it.each([
    ["petrov", "pavlov"],
    ["omar", "mario"],
  ])("is not the same for %s and %s", (a, b) => {
    expect(soundKey(a)).not.toBe(soundKey(b));
  });

  it("is empty where too few consonants are left to tell words apart", () => {
    expect([soundKey("ali"), soundKey("lee"), soundKey("aya")]).toEqual(["", "", ""]);
  });
});
