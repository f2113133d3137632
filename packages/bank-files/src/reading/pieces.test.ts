import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addPiece, inPieces } from "./pieces.ts";

describe("a value in pieces", () => {
  const { value: tree } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("a", 1, 2n, true, undefined),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(fc.constantFrom("x", "y", "z"), tie("value")),
    ),
  }));

  it("is put together again, whatever its size", () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 6 }), (value, objectsMax) => {
        const split = structuredClone(inPieces(value, objectsMax).value);
        for (const piece of inPieces(value, objectsMax).pieces) {
          addPiece(split, structuredClone(piece));
        }
        expect(split).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("has no piece of many objects, at any depth", () => {
    const item = (depth: number): unknown =>
      depth === 0 ? {} : { items: Array.from({ length: 9 }, () => item(depth - 1)) };
    const pieces = [...inPieces(item(4), 20).pieces];
    expect(pieces.length).toBeGreaterThan(300);
    for (const { items } of pieces) {
      const objects = JSON.stringify(items).split(/[{[]/).length - 2;
      expect(objects).toBeLessThanOrEqual(20 + 2);
    }
  });
});
