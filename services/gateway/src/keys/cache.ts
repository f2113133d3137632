import { hash, timingSafeEqual } from "node:crypto";
import { type Cache, cacheMetrics, createCache } from "@disburse/chassis/cache.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { digestMatches, type KeyRecord } from "./rules/api-key.ts";
import type { Peppers } from "./rules/peppers.ts";
import { findRecord, type Keys } from "./store.ts";

/**
 * Known keys stay cached for 4 s, so every gateway applies a revocation within the 5 s that
 * decisions §1 allows.
 */
const known = { max: 10_000, freshMs: 4_000 };
/**
 * Unknown ids have a separate cache, so they can't evict known keys. They are cached longer,
 * because no id is issued twice and an unknown id stays unknown.
 */
const unknown = { max: 10_000, freshMs: 60_000 };

export type KeyCache = Pick<Cache<KeyRecord>, "remembers" | "drop"> & {
  /**
   * Returns the key with an id. Refuses if the sender has used up its lookups of unknown ids.
   * Lookups of existing keys don't count.
   */
  readonly find: (
    id: string,
    sender: string,
  ) => Promise<KeyRecord | undefined | Refused<"RATE_LIMITED">>;
};

/** Limits lookups of unknown ids per sender. */
export type Lookups = {
  readonly take: (sender: string) => { readonly admitted: boolean };
  /** Returns a lookup to the sender's limit, because the id exists. */
  readonly giveBack: (sender: string) => void;
};

export function openKeyCache(
  keys: Keys,
  deps: {
    readonly lookups: Lookups;
    readonly metrics: Metrics;
    readonly watchPrimary: Database["watchPrimary"];
    readonly monotonicMs?: () => number;
  },
): KeyCache {
  const { lookups, watchPrimary } = deps;
  const cache = createCache({
    name: "api_keys",
    ...known,
    absent: unknown,
    read: async (id) => {
      const prove = watchPrimary();
      const record = await findRecord(keys, id);
      if (record === undefined) await prove();
      return record;
    },
    countRead: cacheMetrics(deps.metrics),
    nowMs: deps.monotonicMs,
  });
  return {
    remembers: cache.remembers,
    drop: cache.drop,
    find: async (id, sender) => {
      if (cache.remembers(id)) return cache.get(id);
      // The lookup is counted before the read, so concurrent lookups can't exceed the limit.
      if (!lookups.take(sender).admitted) {
        return refused(
          "RATE_LIMITED",
          "Too many requests with unknown API keys from this address.",
        );
      }
      let isUnknown = false;
      try {
        const record = await cache.get(id);
        isUnknown = record === undefined;
        return record;
      } finally {
        if (!isUnknown) lookups.giveBack(sender);
      }
    },
  };
}

/**
 * Compares a key's text with a record in constant time. An HMAC costs about ten times as much as a
 * plain hash. So while a record is cached, its matching text is remembered by a plain hash. A key
 * has 256 random bits, so a plain hash in memory is safe.
 */
export function createKeyMatching(peppers: Peppers): (record: KeyRecord, text: string) => boolean {
  const matched = new WeakMap<KeyRecord, Buffer>();
  return (record, text) => {
    const presented = hash("sha256", text, "buffer");
    const matchedHash = matched.get(record);
    if (matchedHash !== undefined && timingSafeEqual(matchedHash, presented)) return true;
    const pepper = peppers.byVersion.get(record.pepper);
    if (pepper === undefined || !digestMatches(text, record.digest, pepper)) return false;
    matched.set(record, presented);
    return true;
  };
}
