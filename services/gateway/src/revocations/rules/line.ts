/** A key or member with its creator, and the key that it succeeds, if any. */
export type Created = {
  readonly id: string;
  readonly createdBy: string;
  readonly follows?: string | undefined;
};

/**
 * Returns the keys and members that the first one created, directly or through others. Successors
 * of these keys are included. The first key's own successor is not, because it replaces that key.
 */
export function createdThrough<T extends Created>(first: string, all: readonly T[]): T[] {
  const line = new Map<string, T>();
  for (let size = -1; size !== line.size; ) {
    size = line.size;
    for (const each of all) {
      const isOwn = each.createdBy === first || line.has(each.createdBy);
      const isSuccessor = each.follows !== undefined && line.has(each.follows);
      if (each.id !== first && (isOwn || isSuccessor)) line.set(each.id, each);
    }
  }
  return [...line.values()];
}

/** Delay of the second run. By then no gateway accepts the key or runs a request of it. */
export const settledMs = 30_000;
