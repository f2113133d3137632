type Line<T> = {
  readonly items: T[];
  /**
   * Thread time that this merchant has used, in milliseconds. A new merchant starts with the time
   * of the current turn's merchant, not with 0.
   */
  spentMs: number;
  /**
   * The expected cost of this merchant's next turn. It is a moving average in which the latest turn
   * counts half.
   */
  expectedMs: number;
};

/** The expected cost of the very first turn, about that of a name of three words. */
const firstMs = 1;
/**
 * The minimum expected cost. With a lower value, too many turns would be sent to the thread at
 * once.
 */
const leastMs = 0.1;

/** The maximum number of waiting items: `ofOne` for each merchant, `ofAll` in total. */
export type QueueBounds = { readonly ofOne: number; readonly ofAll: number };

type Turn<T> = { readonly merchant: string; readonly item: T; readonly expectedMs: number };

/**
 * Shares the thread's time fairly between merchants. Each merchant has its own queue, and the one
 * that has used the least time gets the next turn. A merchant with much work delays only itself.
 * The cost of a turn is known only afterwards.
 */
export function createFairQueue<T>({ ofOne, ofAll }: QueueBounds) {
  const lines = new Map<string, Line<T>>();
  /** The used time of the merchant of the latest turn, before that turn. */
  let turnMs = 0;
  let size = 0;
  /** The moving average of the cost of all merchants' turns. */
  let expectedMs = firstMs;

  const lineOf = (merchant: string): Line<T> => {
    const known = lines.get(merchant);
    if (known !== undefined) return known;
    const line = { items: [], spentMs: turnMs, expectedMs };
    lines.set(merchant, line);
    return line;
  };
  /**
   * Deletes merchants that have no items and have used no more time than a new merchant starts
   * with.
   */
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
     * Adds items. If the merchant's limit or the total limit would be exceeded, adds none and
     * returns `false`.
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
    /** Adds the cost of a finished turn to the merchant's used time. */
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
