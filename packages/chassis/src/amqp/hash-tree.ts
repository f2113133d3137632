import { hash } from "node:crypto";

/**
 * A Merkle tree over the messages of a batch, so that one signature of its root covers every
 * message. Each message carries the path from its leaf to the root, so a message can be verified
 * without the others.
 */

const hashBytes = 32;
/**
 * The size of a path step, which contains the side of the sibling (one byte) and the sibling's
 * hash.
 */
const stepBytes = 1 + hashBytes;
/** The maximum number of steps in a path, because a batch has at most 2¹⁶ messages. */
const stepsMax = 16;
/**
 * Leaves and inner nodes are hashed with different prefixes, so that a leaf can't pass as a node
 * (RFC 6962, 2.1).
 */
const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);
const left = Buffer.of(0);
const right = Buffer.of(1);

export function leafOf(bytes: Uint8Array): Buffer {
  return hash("sha256", Buffer.concat([leafPrefix, bytes]), "buffer");
}

/** Returns the root of a tree with at least one leaf, and the path from each leaf to the root. */
export function treeOf(leaves: readonly Buffer[]) {
  const steps: Buffer[][] = leaves.map(() => []);
  let level = leaves.map((of, at) => ({ of, leaves: [at] }));
  while (level.length > 1) {
    const above: typeof level = [];
    for (let at = 0; at < level.length; at += 2) {
      const [one, other] = level.slice(at, at + 2);
      if (one === undefined) break;
      // A node without a sibling moves up one level unchanged.
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

/** Computes the root from a leaf and its path. Returns `undefined` if the path is malformed. */
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
