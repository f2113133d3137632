/** A key or member, by who created it, and the key that it follows where it is a successor. */
export type Created = {
  readonly id: string;
  readonly createdBy: string;
  readonly follows?: string | undefined;
};

/**
 * What a key or member created, directly or through others. The successor of a key that was created
 * so belongs to it; the successor of the first one does not: it replaces it.
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

/** When it is carried out once more: no gateway admits the key then, nor runs a request of it. */
export const settledMs = 30_000;
