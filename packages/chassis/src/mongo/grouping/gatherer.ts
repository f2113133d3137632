import { reportRejection } from "../../rejections.ts";

/** An operation that can wait for others and be sent in the same batch. */
export type Gathered = {
  /**
   * Two operations with the same key are never in flight at the same time, in one batch or in two.
   */
  readonly key: string | undefined;
  /** The number of bytes that the operation adds to a batch. */
  readonly bytes: number;
};

/**
 * Limits of a gatherer. An operation that alone exceeds a byte limit is sent in a batch of its own.
 */
export type GathererLimits = {
  readonly batchMax: number;
  readonly batchBytesMax: number;
  readonly inFlightMax: number;
  /**
   * Maximum batches in addition to `inFlightMax`, at most one more each second. They are sent only
   * while every batch in flight is older than a second. The default is none.
   */
  readonly furtherMax?: number;
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
};

/**
 * A batch this old probably hangs, for example on a dead connection. A batch takes milliseconds, and
 * a dead connection takes 8 s to fail.
 */
const hangsAfterMs = 1_000;

/** Runs a function in a later turn of the event loop. */
export type Defer = (run: () => void) => void;

/** Gathers operations into batches. `add` returns `false` if too many operations are waiting. */
export type Gatherer<Item extends Gathered> = { readonly add: (item: Item) => boolean };

/**
 * Sends operations in batches. A batch is sent at the end of the current turn of the event loop. If
 * `inFlightMax` batches are in flight, new operations wait for the next batch. There is no timer
 * unless batches hang, so a single operation never waits for others. Order is kept only among
 * operations with the same key.
 *
 * @param send sends a batch and settles each of its operations; it must not reject.
 */
export function createGatherer<Item extends Gathered>(
  send: (batch: readonly Item[]) => Promise<void>,
  limits: GathererLimits,
  defer: Defer = (run) => setImmediate(run),
): Gatherer<Item> {
  const ready: Item[] = [];
  /** Waiting operations, for each key that has an operation in flight. */
  const behind = new Map<string, Item[]>();
  let waiting = 0;
  let waitingBytes = 0;
  const slots = createSlots(limits, () => wake());
  let isDeferred = false;

  const wake = () => {
    if (isDeferred || ready.length === 0 || !slots.isFree()) return;
    isDeferred = true;
    defer(sendNext);
  };
  const sendNext = () => {
    isDeferred = false;
    const batch = ready.splice(0, batchLength(ready, limits));
    waiting -= batch.length;
    for (const { bytes } of batch) waitingBytes -= bytes;
    const free = slots.take();
    const ended = () => {
      free();
      for (const { key } of batch) release(key);
      wake();
    };
    send(batch).finally(ended).catch(reportRejection);
    wake();
  };
  const release = (key: string | undefined) => {
    if (key === undefined) return;
    const next = behind.get(key)?.shift();
    if (next === undefined) behind.delete(key);
    else ready.push(next);
  };
  return {
    add: (item) => {
      const isFull =
        waiting >= limits.waitingMax ||
        (waiting > 0 && waitingBytes + item.bytes > limits.waitingBytesMax);
      if (isFull) return false;
      waiting += 1;
      waitingBytes += item.bytes;
      const line = item.key === undefined ? undefined : behind.get(item.key);
      if (line !== undefined) {
        line.push(item);
        return true;
      }
      if (item.key !== undefined) behind.set(item.key, []);
      ready.push(item);
      wake();
      return true;
    },
  };
}

/**
 * Counts the batches in flight. If a call of `isFree` returns false and a slot may become free by
 * time, `onFree` is called then.
 */
function createSlots(
  { inFlightMax, furtherMax = 0 }: Pick<GathererLimits, "inFlightMax" | "furtherMax">,
  onFree: () => void,
) {
  /** The batches in flight with their start, the youngest last. */
  const inFlight = new Map<symbol, number>();
  let isWatched = false;
  const watch = (ms: number) => {
    if (isWatched) return;
    isWatched = true;
    setTimeout(() => {
      isWatched = false;
      onFree();
    }, ms);
  };
  return {
    isFree: (): boolean => {
      if (inFlight.size < inFlightMax) return true;
      if (inFlight.size >= inFlightMax + furtherMax) return false;
      const youngestAt = [...inFlight.values()].at(-1) ?? 0;
      const untilFreeMs = youngestAt + hangsAfterMs - performance.now();
      if (untilFreeMs <= 0) return true;
      watch(untilFreeMs);
      return false;
    },
    /** Takes a slot. Returns a function that frees it. */
    take: () => {
      const batch = Symbol();
      inFlight.set(batch, performance.now());
      return () => void inFlight.delete(batch);
    },
  };
}

/** Returns the number of operations in the next batch, which is at least one. */
function batchLength(
  ready: readonly Gathered[],
  { batchMax, batchBytesMax }: Pick<GathererLimits, "batchMax" | "batchBytesMax">,
): number {
  const most = Math.min(ready.length, batchMax);
  let bytes = 0;
  for (let length = 0; length < most; length += 1) {
    bytes += ready[length]?.bytes ?? 0;
    if (length > 0 && bytes > batchBytesMax) return length;
  }
  return most;
}
