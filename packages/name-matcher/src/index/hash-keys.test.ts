import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatSpellings } from "../tokens/canonical-spelling.ts";
import { forEachSpellingKey, forEachTokenKey, hashConcatenated, hashToken } from "./hash-keys.ts";

const letter = fc.constantFrom(..."abcdefgh");
const word = fc.string({ unit: letter, minLength: 5, maxLength: 12 });
const keysOf = (text: string, each: typeof forEachTokenKey): Set<number> => {
  const keys = new Set<number>();
  each(text, (key) => keys.add(key));
  return keys;
};

describe("the keys of a word", () => {
  it("are shared by any two words one edit apart", () => {
    const edit = fc.property(word, fc.nat(3), fc.nat(), letter, (text, kind, place, by) => {
      const at = place % (text.length - 1);
      const [before, after] = [text.slice(0, at), text.slice(at + 1)];
      const swapped = before + after.charAt(0) + text.charAt(at) + after.slice(1);
      const edited = [before + by + text.slice(at), before + after, before + by + after, swapped];
      for (const each of [forEachTokenKey, forEachSpellingKey]) {
        const keys = keysOf(text, each);
        expect([...keysOf(edited[kind] ?? "", each)].some((key) => keys.has(key))).toBe(true);
      }
    });
    fc.assert(edit, { numRuns: 300 });
  });

  it("are few, and of a short word itself alone", () => {
    expect(keysOf("ali", forEachTokenKey)).toEqual(new Set([hashToken("ali")]));
    const keys: number[] = [];
    forEachTokenKey("petrosenko", (key) => keys.push(key));
    expect([keys.length, new Set(keys).size]).toEqual([11, 11]);
  });

  it("of two words as one are those of the word they make", () => {
    const property = fc.property(word, word, (first, second) => {
      const hash = hashToken(first);
      expect(hashToken(second, 0, hash)).toBe(hashToken(first + second));
      const joined = hashToken(concatSpellings(first, second));
      expect(hashConcatenated(first, hash, second)).toBe(joined);
    });
    fc.assert(property);
  });
});
