/** A key or member, its creator, and the key that it succeeds, if any. */
export type Created = {
  readonly id: string;
  readonly createdBy: string;
  readonly follows?: string | undefined;
};

/**
 * Returns the keys and members that `first` created, directly or through others. Includes the
 * successors of these keys. Doesn't include the successor of `first`, because that key replaces
 * `first`.
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

/**
 * Delay before a stop's second run. By then no gateway accepts the key and none still runs a
 * request of it.
 */
export const settledMs = 30_000;
