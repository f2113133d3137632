import { hash, timingSafeEqual } from "node:crypto";
import { type Cache, cacheMetrics, createCache } from "@disburse/chassis/cache.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { digestMatches, type KeyRecord } from "./rules/api-key.ts";
import type { Peppers } from "./rules/peppers.ts";
import { findRecord, type Keys } from "./store.ts";

/** A revocation is known everywhere within the 5 s of decisions §1. */
const known = { max: 10_000, freshMs: 4_000 };
/** Ids of no key, in memory of their own: no id is made twice, so one of none stays one. */
const unknown = { max: 10_000, freshMs: 60_000 };

/** The keys that were read lately, by their ids. */
export type KeyCache = Pick<Cache<KeyRecord>, "remembers" | "drop"> & {
  /**
   * The key of an id. RATE_LIMITED where the sender has used up its look-ups of ids that are none;
   * ids of keys that were there before cost it nothing.
   */
  readonly find: (
    id: string,
    sender: string,
  ) => Promise<KeyRecord | undefined | Refused<"RATE_LIMITED">>;
};

/** How many ids of no key each sender may have looked up. */
export type Lookups = {
  readonly take: (sender: string) => { readonly admitted: boolean };
  /** Of an id that was a key's. */
  readonly giveBack: (sender: string) => void;
};

/** Opens the cache of all keys. */
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
      // Taken before the read, so that many at once do not all find the last one there.
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
 * Whether a record is of a key's text, in constant time. A text that matched is remembered by its
 * hash as long as the record is: an HMAC costs some ten times as much, and a key's 256 random bits
 * need none in memory.
 */
export function createKeyMatching(peppers: Peppers): (record: KeyRecord, text: string) => boolean {
  const matched = new WeakMap<KeyRecord, Buffer>();
  return (record, text) => {
    const presented = hash("sha256", text, "buffer");
    const before = matched.get(record);
    if (before !== undefined && timingSafeEqual(before, presented)) return true;
    const pepper = peppers.byVersion.get(record.pepper);
    if (pepper === undefined || !digestMatches(text, record.digest, pepper)) return false;
    matched.set(record, presented);
    return true;
  };
}
