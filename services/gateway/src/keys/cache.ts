import { type Cache, cacheMetrics, createCache } from "@disburse/chassis/cache.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { KeyRecord } from "./rules/api-key.ts";
import { findRecord, type Keys } from "./store.ts";

/** A revocation is known everywhere within the 5 s of decisions §1. */
const known = { max: 10_000, freshMs: 4_000 };
/** Ids of no key: trying many of them pushes no key out. */
const unknown = { max: 1_000, freshMs: 1_000 };

/** The keys that were read lately, by their ids. */
export type KeyCache = Cache<KeyRecord>;

/** Opens the cache of all keys. */
export function openKeyCache(
  keys: Keys,
  deps: { readonly metrics: Metrics; readonly monotonicMs?: () => number },
): KeyCache {
  return createCache({
    ...{ name: "api_keys", ...known, absent: unknown },
    read: (id) => findRecord(keys, id),
    countRead: cacheMetrics(deps.metrics),
    nowMs: deps.monotonicMs,
  });
}
