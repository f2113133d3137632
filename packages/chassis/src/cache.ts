import { LRUCache } from "lru-cache";
import type { Metrics } from "./metrics.ts";

/** The maximum number of cached values, and their lifetime from the start of the read. */
export type CacheBounds = { readonly max: number; readonly freshMs: number };

export type CacheOptions<V> = CacheBounds & {
  readonly name: string;
  /** The bounds for absent values, which are cached only if this is set. */
  readonly absent?: CacheBounds;
  readonly read: (key: string) => Promise<V | undefined>;
  readonly countRead?: CountRead | undefined;
  /**
   * A monotonic clock, so that setting back the wall clock does not extend the life of an old
   * value.
   */
  readonly nowMs?: (() => number) | undefined;
};

/** Counts a read of a cache by its result. */
export type CountRead = (cache: string, result: "hit" | "miss") => void;

/** Caches values by key. Reads a value again when it is too old. */
export type Cache<V> = {
  readonly get: (key: string) => Promise<V | undefined>;
  /** Returns true if `get` needs no new read, or if the last read found a value. */
  readonly remembers: (key: string) => boolean;
  /** Removes a changed value. The result of a read that is already running is not cached either. */
  readonly drop: (key: string) => void;
};

/** Counts the reads of a service's caches in its metrics. */
export function cacheMetrics(metrics: Pick<Metrics, "counter">): CountRead {
  const help = "Reads from a cache, by cache and result.";
  const reads = metrics.counter("disburse_cache_reads_total", help, ["cache", "result"]);
  return (cache, result) => reads.inc({ cache, result });
}

/** Creates a bounded LRU cache. Concurrent reads of the same key share one read. */
export function createCache<V extends NonNullable<unknown>>(options: CacheOptions<V>): Cache<V> {
  const { read, countRead, nowMs = () => performance.now() } = options;
  const kept = <T extends NonNullable<unknown>>({ max, freshMs }: CacheBounds) =>
    new LRUCache<string, T>({
      max,
      ttlResolution: 0,
      noDeleteOnStaleGet: true,
      ...(Number.isFinite(freshMs) && { ttl: freshMs }),
      perf: { now: nowMs },
    });
  const present = kept<V>(options);
  const absent = options.absent && kept<true>(options.absent);
  const reading = new Map<string, Promise<V | undefined>>();

  const startRead = (key: string): Promise<V | undefined> => {
    const start = nowMs();
    const isCurrent = () => reading.get(key) === started;
    const started = read(key).then(
      (value) => {
        if (!isCurrent()) return value;
        reading.delete(key);
        if (value !== undefined) present.set(key, value, { start });
        else {
          present.delete(key);
          absent?.set(key, true, { start });
        }
        return value;
      },
      (error: unknown) => {
        if (isCurrent()) reading.delete(key);
        throw error;
      },
    );
    reading.set(key, started);
    return started;
  };
  const known = (key: string): Promise<V | undefined> | undefined => {
    const value = present.get(key);
    if (value !== undefined) return Promise.resolve(value);
    if (absent?.has(key) === true) return Promise.resolve(undefined);
    return reading.get(key);
  };
  return {
    get: (key) => {
      const found = known(key);
      countRead?.(options.name, found === undefined ? "miss" : "hit");
      return found ?? startRead(key);
    },
    remembers: (key) =>
      present.peek(key, { allowStale: true }) !== undefined ||
      absent?.has(key) === true ||
      reading.has(key),
    drop: (key) => {
      present.delete(key);
      absent?.delete(key);
      reading.delete(key);
    },
  };
}
