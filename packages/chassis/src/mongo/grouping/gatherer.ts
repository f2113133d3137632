import { reportRejection } from "../../rejections.ts";

/** An operation that can wait for others, to go out with them. */
export type Gathered = {
  /** No two operations of a key are in flight at once, in one batch or in two. */
  readonly key: string | undefined;
  /** What it adds to a batch. */
  readonly bytes: number;
};

/** What bounds a gatherer. An operation larger than a byte limit goes out alone. */
export type GathererLimits = {
  readonly batchMax: number;
  readonly batchBytesMax: number;
  /** Batches at once. */
  readonly inFlightMax: number;
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
};

/** Runs a function in a later turn of the event loop. */
export type Defer = (run: () => void) => void;

/** Gathers operations into batches; `add` answers `false` where too many wait already. */
export type Gatherer<Item extends Gathered> = { readonly add: (item: Item) => boolean };

/**
 * What is added while `inFlightMax` batches are under way goes out in the next one; with fewer, it
 * goes out at the end of this turn of the event loop. No timer is involved: a lone operation waits
 * for nothing else. Order holds among the operations of one key and of no others.
 *
 * @param send sends a batch and settles each of its operations; it must not reject.
 */
export function createGatherer<Item extends Gathered>(
  send: (batch: readonly Item[]) => Promise<void>,
  limits: GathererLimits,
  defer: Defer = (run) => setImmediate(run),
): Gatherer<Item> {
  const ready: Item[] = [];
  /** By each key that is in use: the operations that wait for it. */
  const behind = new Map<string, Item[]>();
  let waiting = 0;
  let waitingBytes = 0;
  let inFlight = 0;
  let isDeferred = false;

  const wake = () => {
    if (isDeferred || ready.length === 0 || inFlight >= limits.inFlightMax) return;
    isDeferred = true;
    defer(sendNext);
  };
  const sendNext = () => {
    isDeferred = false;
    const batch = ready.splice(0, batchLength(ready, limits));
    waiting -= batch.length;
    for (const { bytes } of batch) waitingBytes -= bytes;
    inFlight += 1;
    const ended = () => {
      inFlight -= 1;
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

/** How many of the first operations make the next batch; at least one. */
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
