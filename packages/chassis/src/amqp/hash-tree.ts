import { hash } from "node:crypto";

/**
 * A hash tree (Merkle) over the messages of a batch: one signature of its root is one of each
 * message, which has with it the path from its leaf to the root and needs none of the others.
 */

const hashBytes = 32;
/** A step of a path: the side of the sibling, and its hash. */
const stepBytes = 1 + hashBytes;
/** A batch has at most 2¹⁶ messages. */
const stepsMax = 16;
/** Keep a leaf from being taken for a node (RFC 6962, 2.1). */
const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);
const left = Buffer.of(0);
const right = Buffer.of(1);

/** The hash of a leaf's bytes. */
export function leafOf(bytes: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([leafPrefix, bytes]), "buffer");
}

/** The root over leaves, of which there is at least one, and each leaf's path to it. */
export function treeOf(leaves: readonly Buffer[]) {
  const steps: Buffer[][] = leaves.map(() => []);
  let level = leaves.map((of, at) => ({ of, leaves: [at] }));
  while (level.length > 1) {
    const above: typeof level = [];
    for (let at = 0; at < level.length; at += 2) {
      const [one, other] = level.slice(at, at + 2);
      if (one === undefined) break;
      // One without a sibling stands on the next level as it is.
      if (other === undefined) above.push(one);
      else {
        for (const leaf of one.leaves) steps[leaf]?.push(right, other.of);
        for (const leaf of other.leaves) steps[leaf]?.push(left, one.of);
        above.push({ of: nodeOf(one.of, other.of), leaves: [...one.leaves, ...other.leaves] });
      }
    }
    level = above;
  }
  const root = level[0]?.of ?? Buffer.alloc(0);
  return { root, paths: steps.map((of) => Buffer.concat(of)) };
}

/** The root that a leaf and its path lead to; `undefined` for what is no path. */
export function rootFrom(leaf: Buffer, path: Buffer): Buffer | undefined {
  const steps = path.length / stepBytes;
  if (!Number.isInteger(steps) || steps > stepsMax) return undefined;
  let root = leaf;
  for (let at = 0; at < path.length; at += stepBytes) {
    const sibling = path.subarray(at + 1, at + stepBytes);
    root = path[at] === right[0] ? nodeOf(root, sibling) : nodeOf(sibling, root);
  }
  return root;
}

function nodeOf(one: Buffer, other: Buffer): Buffer {
  return hash("sha256", Buffer.concat([nodePrefix, one, other]), "buffer");
}
