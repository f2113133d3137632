type Line<T> = {
  /** Oldest first. */
  readonly items: T[];
  /** Of the thread's time, in milliseconds; a merchant that comes begins with what others have. */
  spentMs: number;
  /** What its last turns have cost, each half of what is newer. */
  expectedMs: number;
};

/** What a turn may cost before one was taken: about that of a name of three words. */
const firstMs = 1;
/** With less the thread would have too many turns before it at once. */
const leastMs = 0.1;

/** How much may wait, in items. */
export type QueueBounds = { readonly ofOne: number; readonly ofAll: number };

/** The turn of a merchant. */
type Turn<T> = { readonly merchant: string; readonly item: T; readonly expectedMs: number };

/**
 * A queue for each merchant. The next turn is that of the one which has spent least, so a merchant
 * with much or costly work waits for itself alone; what a turn costs is known after it.
 */
export function createFairQueue<T>({ ofOne, ofAll }: QueueBounds) {
  const lines = new Map<string, Line<T>>();
  /** What the merchant of the last turn had spent before it. */
  let turnMs = 0;
  let size = 0;
  /** What the last turns of all have cost. */
  let expectedMs = firstMs;

  const lineOf = (merchant: string): Line<T> => {
    const known = lines.get(merchant);
    if (known !== undefined) return known;
    const line = { items: [], spentMs: turnMs, expectedMs };
    lines.set(merchant, line);
    return line;
  };
  /** Who waited and has spent no more than others is as one who comes. */
  const forget = (): void => {
    for (const [merchant, { items, spentMs }] of lines) {
      if (items.length === 0 && spentMs <= turnMs) lines.delete(merchant);
    }
  };

  return {
    get size() {
      return size;
    },
    /** `false`: too much waits already, of this merchant or of all; then nothing is added. */
    add: (merchant: string, items: readonly T[]): boolean => {
      const waiting = lines.get(merchant)?.items.length ?? 0;
      if (waiting + items.length > ofOne || size + items.length > ofAll) return false;
      const line = lineOf(merchant);
      if (waiting === 0) line.spentMs = Math.max(line.spentMs, turnMs);
      line.items.push(...items);
      size += items.length;
      return true;
    },
    /** The next item, whose it is and what it may cost; `undefined`: nothing waits. */
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
    /** Books what a turn of a merchant has cost. */
    spend: (merchant: string, ms: number): void => {
      const line = lineOf(merchant);
      line.spentMs += ms;
      line.expectedMs = Math.max((line.expectedMs + ms) / 2, leastMs);
      expectedMs = Math.max((expectedMs + ms) / 2, leastMs);
    },
    /** Takes items of a merchant out for which no caller waits any longer. */
    drop: (merchant: string, isDropped: (item: T) => boolean): void => {
      const line = lines.get(merchant);
      if (line === undefined) return;
      const kept = line.items.filter((item) => !isDropped(item));
      size -= line.items.length - kept.length;
      line.items.splice(0, line.items.length, ...kept);
    },
  };
}
