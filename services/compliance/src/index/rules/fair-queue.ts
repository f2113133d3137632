type Line<T> = {
  readonly items: T[];
  /** Thread time used, in milliseconds. A new merchant starts with the amount of the others. */
  spentMs: number;
  /** The average cost of its turns; each turn weighs twice as much as the one before. */
  expectedMs: number;
};

/** The expected cost of the first turn: about that of a name of three words. */
const firstMs = 1;
/** A lower minimum would send too many turns to the thread at once. */
const leastMs = 0.1;

/** The maximum number of waiting items, for one merchant and for all. */
export type QueueBounds = { readonly ofOne: number; readonly ofAll: number };

type Turn<T> = { readonly merchant: string; readonly item: T; readonly expectedMs: number };

/**
 * A queue for each merchant. The merchant that has used the least time gets the next turn, so much
 * or costly work delays only its own merchant. The cost of a turn is known only after it.
 */
export function createFairQueue<T>({ ofOne, ofAll }: QueueBounds) {
  const lines = new Map<string, Line<T>>();
  /** The time used by the last turn's merchant before that turn. */
  let turnMs = 0;
  let size = 0;
  /** The average cost of the last turns of all merchants. */
  let expectedMs = firstMs;

  const lineOf = (merchant: string): Line<T> => {
    const known = lines.get(merchant);
    if (known !== undefined) return known;
    const line = { items: [], spentMs: turnMs, expectedMs };
    lines.set(merchant, line);
    return line;
  };
  /** A merchant without items that has used no more than the others equals a new one. */
  const forget = (): void => {
    for (const [merchant, { items, spentMs }] of lines) {
      if (items.length === 0 && spentMs <= turnMs) lines.delete(merchant);
    }
  };

  return {
    get size() {
      return size;
    },
    /**
     * Adds nothing and returns `false` if too many items of this merchant or of all are waiting.
     */
    add: (merchant: string, items: readonly T[]): boolean => {
      const waiting = lines.get(merchant)?.items.length ?? 0;
      if (waiting + items.length > ofOne || size + items.length > ofAll) return false;
      const line = lineOf(merchant);
      if (waiting === 0) line.spentMs = Math.max(line.spentMs, turnMs);
      line.items.push(...items);
      size += items.length;
      return true;
    },
    /**
     * Returns the next item with its merchant and expected cost, or `undefined` if the queue is
     * empty.
     */
    take: (): Turn<T> | undefined => {
      let next: { readonly merchant: string; readonly line: Line<T> } | undefined;
      for (const [merchant, line] of lines) {
        if (line.items.length === 0) continue;
        if (next === undefined || line.spentMs < next.line.spentMs) next = { merchant, line };
      }
      const item = next?.line.items.shift();
      if (next === undefined || item === undefined) return undefined;
      size -= 1;
      turnMs = Math.max(turnMs, next.line.spentMs);
      forget();
      return { merchant: next.merchant, item, expectedMs: next.line.expectedMs };
    },
    /** Adds the cost of a turn to its merchant. */
    spend: (merchant: string, ms: number): void => {
      const line = lineOf(merchant);
      line.spentMs += ms;
      line.expectedMs = Math.max((line.expectedMs + ms) / 2, leastMs);
      expectedMs = Math.max((expectedMs + ms) / 2, leastMs);
    },
    /** Removes items of a merchant that no caller is waiting for. */
    drop: (merchant: string, isDropped: (item: T) => boolean): void => {
      const line = lines.get(merchant);
      if (line === undefined) return;
      const kept = line.items.filter((item) => !isDropped(item));
      size -= line.items.length - kept.length;
      line.items.splice(0, line.items.length, ...kept);
    },
  };
}
