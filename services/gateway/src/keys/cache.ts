import { hash, timingSafeEqual } from "node:crypto";
import { type Cache, cacheMetrics, createCache } from "@disburse/chassis/cache.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { digestMatches, type KeyRecord } from "./rules/api-key.ts";
import type { Peppers } from "./rules/peppers.ts";
import { findRecord, type Keys } from "./store.ts";

/** Every gateway sees a revocation within the 5 s of decisions §1. */
const known = { max: 10_000, freshMs: 4_000 };
/** Unknown ids have their own memory. No id is issued twice, so an unknown id stays unknown. */
const unknown = { max: 10_000, freshMs: 60_000 };

export type KeyCache = Pick<Cache<KeyRecord>, "remembers" | "drop"> & {
  /**
   * Returns the key of an id. Refuses if the sender has used up its lookups of unknown ids. Lookups
   * of existing keys cost nothing.
   */
  readonly find: (
    id: string,
    sender: string,
  ) => Promise<KeyRecord | undefined | Refused<"RATE_LIMITED">>;
};

/** Limits lookups of unknown ids per sender. */
export type Lookups = {
  readonly take: (sender: string) => { readonly admitted: boolean };
  /** Returns the lookup of an id that exists. */
  readonly giveBack: (sender: string) => void;
};

export function openKeyCache(
  keys: Keys,
  deps: {
    readonly lookups: Lookups;
    readonly metrics: Metrics;
    readonly monotonicMs?: () => number;
  },
): KeyCache {
  const { lookups } = deps;
  const cache = createCache({
    name: "api_keys",
    ...known,
    absent: unknown,
    read: (id) => findRecord(keys, id),
    countRead: cacheMetrics(deps.metrics),
    nowMs: deps.monotonicMs,
  });
  return {
    remembers: cache.remembers,
    drop: cache.drop,
    find: async (id, sender) => {
      if (cache.remembers(id)) return cache.get(id);
      // Counted before the read, so that concurrent lookups cannot exceed the limit.
      if (!lookups.take(sender).admitted) {
        return refused("RATE_LIMITED", "Too many unknown API keys from this address.");
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
 * Compares a key's text with a record in constant time. Remembers a matching text by its plain hash
 * for as long as the record is cached: an HMAC costs about ten times as much, and a key's 256
 * random bits do not need one in memory.
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
