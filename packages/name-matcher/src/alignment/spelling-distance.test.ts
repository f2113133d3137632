import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editCost, spellingDistance, spellingSimilarity } from "./spelling-distance.ts";

describe("spellingDistance", () => {
  it.each([
    ["the same word", "ivanov", "ivanov", 0],
    ["another consonant", "ivanov", "ivalov", editCost],
    ["a consonant less", "ivanov", "ivano", editCost],
    ["a swap of neighbours", "ivanov", "ivaonv", editCost],
    ["a close vowel", "mohamed", "muhamed", 8],
    ["a close vowel at the alphabet's start", "petrav", "petrev", 8],
    ["another vowel", "petrev", "petruv", 10],
    ["a vowel more", "belkasem", "belakasem", 12],
    ["a related consonant", "kadafi", "gadafi", 10],
    ["an h more", "ahmed", "amed", 10],
    ["a digit", "plant1", "plant2", editCost],
    ["a related consonant beside a digit", "7petrov", "7petrof", 10],
    ["the sign after z", "pland", "plan{", editCost],
  ])("of %s, %s and %s, is %i", (_, one, other, distance) => {
    expect(spellingDistance(one, other, 200)).toBe(distance);
    expect(spellingDistance(other, one, 200)).toBe(distance);
    expect(spellingDistance(one, other, distance)).toBe(distance);
  });

  it("tells no more than that a distance is above its limit", () => {
    const word = fc.string({ unit: fc.constantFrom(..."aeubvhkgz1"), maxLength: 12 });
    fc.assert(
      fc.property(word, word, fc.nat(120), (one, other, limit) => {
        const distance = spellingDistance(one, other, 1_000);
        for (const most of [limit, distance, Math.max(0, distance - 1)]) {
          expect(spellingDistance(one, other, most)).toBe(Math.min(distance, most + 1));
        }
      }),
    );
  });
});

describe("spellingSimilarity", () => {
  it("is the share of letters that no edit touches, and 0 below the least", () => {
    expect(spellingSimilarity("ivanov", "ivalov", 0.8)).toBeCloseTo(5 / 6);
    expect(spellingSimilarity("ivanov", "ivalov", 0.84)).toBe(0);
  });

  it("loses no edit where the least is not exact in floating point", () => {
    // Adding a vowel to six letters costs a tenth; in floating point, 1 - 0.9 is less than a tenth.
    expect(spellingSimilarity("petrov", "petrv", 0.9)).toBe(0.9);
  });
});
