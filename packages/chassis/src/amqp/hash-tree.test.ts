import fc from "fast-check";
import { expect, it } from "vitest";
import { leafOf, rootFrom, treeOf } from "./hash-tree.ts";

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => leafOf(Buffer.from(`leaf ${at}`)));

it.each([1, 2, 3, 4, 5, 7, 8, 9, 200])("leads from each of %i leaves to the root", (count) => {
  const leaves = leavesOf(count);
  const { root, paths } = treeOf(leaves);
  for (const [at, leaf] of leaves.entries()) {
    expect(rootFrom(leaf, paths[at] ?? Buffer.alloc(0))).toEqual(root);
  }
  const steps = Math.max(...paths.map(({ length }) => length / 33));
  expect(steps).toBe(Math.ceil(Math.log2(count)));
});

it("leads from no other leaf or path to the root", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 40 }).chain((count) =>
        fc.record({
          leaves: fc.constant(leavesOf(count)),
          at: fc.nat(count - 1),
          step: fc.nat(),
          bit: fc.nat(255).filter((each) => each > 0),
        }),
      ),
      ({ leaves, at, step, bit }) => {
        const { root, paths } = treeOf(leaves);
        const [leaf = root, path = root] = [leaves[at], paths[at]];
        const changed = Buffer.from(path);
        const where = step % changed.length;
        changed[where] = (changed[where] ?? 0) ^ bit;
        // Any side byte other than 1 means left.
        const isSame = where % 33 === 0 && path[where] === 0 && bit !== 1;
        expect(root.equals(rootFrom(leaf, changed) ?? leaf)).toBe(isSame);
        expect(rootFrom(leafOf(Buffer.from("another")), path)).not.toEqual(root);
      },
    ),
  );
});

it("rejects a path that is cut, or longer than in any batch", () => {
  const [leaf = Buffer.alloc(0)] = leavesOf(1);
  expect(rootFrom(leaf, Buffer.alloc(32))).toBeUndefined();
  expect(rootFrom(leaf, Buffer.alloc(33 * 16))).toBeDefined();
  expect(rootFrom(leaf, Buffer.alloc(33 * 17))).toBeUndefined();
});

it("rejects a node as a leaf", () => {
  const [one, other] = leavesOf(2);
  const { root } = treeOf(leavesOf(2));
  expect(leafOf(Buffer.concat([one ?? root, other ?? root]))).not.toEqual(root);
});
